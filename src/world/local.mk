libloadbank_a_SOURCES += \
  include/loadbank/gate.h \
  include/loadbank/world.h \
  src/world/agree.c \
  src/world/collective.c \
  src/world/deadline.c \
  src/world/futex.c \
  src/world/futex.h \
  src/world/gate.c \
  src/world/gate_rule.c \
  src/world/gate_rule.h \
  src/world/host.c \
  src/world/host.h \
  src/world/leaders.c \
  src/world/leaders.h \
  src/world/proc.c \
  src/world/proc.h \
  src/world/roll.c \
  src/world/roll.h \
  src/world/shared.c \
  src/world/singleton.c \
  src/world/singleton.h \
  src/world/tail.c \
  src/world/tail.h \
  src/world/topology.c \
  src/world/world.c \
  src/world/world_impl.h
