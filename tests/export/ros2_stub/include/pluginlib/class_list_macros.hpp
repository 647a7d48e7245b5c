#pragma once
#define PLUGINLIB_EXPORT_CLASS(Derived, Base) \
  extern "C" Base * make_plugin() { return new Derived; }
