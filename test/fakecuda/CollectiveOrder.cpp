//===- CollectiveOrder.cpp - The order of a GPU's exchanges -----------------===//
#include "CollectiveOrder.h"

#include <map>

using namespace fakecuda;
using Lock = std::lock_guard<std::mutex>;

CollectiveOrder &CollectiveOrder::of(int user) {
  static std::mutex mutex;
  static std::map<int, CollectiveOrder> all;
  const Lock lock(mutex);
  return all[user];
}

void CollectiveOrder::issue(const void *exchange) {
  const Lock lock(mutex);
  issued.push_back(exchange);
}

bool CollectiveOrder::isRunning(const void *exchange) {
  const Lock lock(mutex);
  return running == exchange;
}

bool CollectiveOrder::tryStart(const void *exchange, bool isOrdered) {
  const Lock lock(mutex);
  if (running || (isOrdered ? issued.front() != exchange : random() % 2 == 0))
    return false;
  std::erase(issued, exchange);
  running = exchange;
  return true;
}

void CollectiveOrder::end(const void *exchange) {
  const Lock lock(mutex);
  std::erase(issued, exchange);
  if (running == exchange)
    running = nullptr;
}
