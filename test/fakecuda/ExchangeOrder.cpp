//===- ExchangeOrder.cpp - The order of a GPU's exchanges -----------------===//
#include "ExchangeOrder.h"

#include <map>

using namespace fakecuda;
using Lock = std::lock_guard<std::mutex>;

ExchangeOrder &ExchangeOrder::of(int user) {
  static std::mutex mutex;
  static std::map<int, ExchangeOrder> all;
  const Lock lock(mutex);
  return all[user];
}

void ExchangeOrder::issue(const void *exchange) {
  const Lock lock(mutex);
  issued.push_back(exchange);
}

bool ExchangeOrder::isRunning(const void *exchange) {
  const Lock lock(mutex);
  return running == exchange;
}

bool ExchangeOrder::tryStart(const void *exchange, bool isOrdered) {
  const Lock lock(mutex);
  if (running || (isOrdered ? issued.front() != exchange : random() % 2 == 0))
    return false;
  std::erase(issued, exchange);
  running = exchange;
  return true;
}

void ExchangeOrder::end(const void *exchange) {
  const Lock lock(mutex);
  std::erase(issued, exchange);
  if (running == exchange)
    running = nullptr;
}
