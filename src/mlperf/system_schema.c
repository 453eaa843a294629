/* SPDX-License-Identifier: GPL-3.0-or-later */
/* THE table of a description's keys: a new one is a row. */
#include "lb-config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mlperf/system_impl.h"

#define KEY(of_, name_) .of = LB_SYSTEM_##of_, .name = #name_
#define TEXT(of_, name_, ...)                            \
  {                                                      \
    KEY(of_, name_), .type = LB_SYSTEM_TEXT, __VA_ARGS__ \
  }
#define COUNT(of_, name_, min_, ...)                                     \
  {                                                                      \
    KEY(of_, name_), .type = LB_SYSTEM_INTEGER, .min = min_, __VA_ARGS__ \
  }
#define YES_NO(of_, name_, ...)                             \
  {                                                         \
    KEY(of_, name_), .type = LB_SYSTEM_BOOLEAN, __VA_ARGS__ \
  }
#define WORD(of_, name_, words_, ...)                                     \
  {                                                                       \
    KEY(of_, name_), .type = LB_SYSTEM_WORD, .words = words_, __VA_ARGS__ \
  }
#define MAP(of_, name_, map_, ...)                                   \
  {                                                                  \
    KEY(of_, name_), .type = LB_SYSTEM_MAP, .map = LB_SYSTEM_##map_, \
                     __VA_ARGS__                                     \
  }
#define MAPS(of_, name_, map_, ...)                                   \
  {                                                                   \
    KEY(of_, name_), .type = LB_SYSTEM_MAPS, .map = LB_SYSTEM_##map_, \
                     __VA_ARGS__                                      \
  }
#define MUST .must = LB_SYSTEM_ALWAYS

const struct lb_system_key lb_system_keys[] = {
    MAP(ROOT, system_under_test, UNDER_TEST, MUST,
        .doc = "the whole system: storage, network and clients"),

    MAP(UNDER_TEST, solution, SOLUTION, MUST, .doc = "what is tested"),
    WORD(UNDER_TEST, deployment, "onprem|cloud", MUST,
         .doc = "where it stands"),
    MAPS(UNDER_TEST, product_nodes, NODE,
         .doc = "computers of the storage system, alike ones in one entry"),
    MAPS(UNDER_TEST, product_switches, SWITCH,
         .never = LB_SYSTEM_CLOUD | LB_SYSTEM_LOCAL,
         .doc = "switches that belong to the storage system"),
    COUNT(UNDER_TEST, total_rack_units, 0, .must = LB_SYSTEM_ONPREM,
          .doc = "rack units of product nodes and switches, not of clients"),
    MAPS(UNDER_TEST, rack_power_supplies, POWER, .never = LB_SYSTEM_CLOUD,
         .doc = "power supplies of racks"),
    MAPS(UNDER_TEST, clients, NODE, MUST,
         .doc = "computers that make the load, alike ones in one entry"),

    TEXT(SOLUTION, submission_name, MUST,
         .doc = "the system's name, as this file is called"),
    TEXT(SOLUTION, friendly_description, MUST, .doc = "your own words"),
    MAP(SOLUTION, architecture, ARCHITECTURE, MUST, .doc = "how it is built"),
    MAP(SOLUTION, capabilities, CAPABILITIES, MUST, .doc = "what it can do"),

    WORD(ARCHITECTURE, storage_location, "remote|local|remote_and_local", MUST,
         .doc = "as seen from the clients"),
    WORD(ARCHITECTURE, benchmark_API, "file|object", MUST,
         .doc = "what the benchmark uses"),
    WORD(ARCHITECTURE, product_API, "file|object|block", MUST,
         .doc = "what the product offers"),
    WORD(ARCHITECTURE, client_footprint, "open_source|closed_source|n/a", MUST,
         .doc = "the product's software on the clients"),
    WORD(ARCHITECTURE, client_installation, "in_box|installable|n/a", MUST,
         .doc = "how that comes there; n/a for both or for neither"),

    YES_NO(CAPABILITIES, multi_host, MUST,
           .doc = "may several hosts use it; false for local storage"),
    YES_NO(CAPABILITIES, simultaneous_write, MUST,
           .doc = "may several hosts write at the same time"),
    YES_NO(CAPABILITIES, simultaneous_read, MUST,
           .doc = "may several hosts read at the same time"),
    COUNT(CAPABILITIES, remap_time_in_seconds, 0, MUST,
          .doc = "s, from writing to reading elsewhere; 0 exactly when several "
                 "hosts may read and write"),

    TEXT(NODE, friendly_description, MUST, .doc = "your own words"),
    COUNT(NODE, quantity, 1, MUST, .doc = "computers that are like this"),
    MAP(NODE, chassis, CHASSIS, MUST, .doc = "the machine"),
    MAPS(NODE, networking, PORT, .must = LB_SYSTEM_REMOTE,
         .doc = "network ports, alike ones in one entry"),
    MAPS(NODE, drives, DRIVE,
         .doc = "drives, alike ones in one entry; boot drives only when they "
                "hold data of the solution"),
    MAP(NODE, operating_system, OS, MUST, .doc = "what it runs"),
    MAPS(NODE, environment, SETTING,
         .doc = "variables of the environment that are not as usual"),
    MAPS(NODE, sysctl, SETTING,
         .doc = "settings of the kernel that are not as usual"),

    TEXT(CHASSIS, model_name, MUST, .doc = "of the machine or the instance"),
    COUNT(CHASSIS, rack_units, 1, .must = LB_SYSTEM_ONPREM,
          .never = LB_SYSTEM_CLOUD, .doc = "rack units of one"),
    TEXT(CHASSIS, cpu_model, MUST, .doc = "of a processor"),
    COUNT(CHASSIS, cpu_qty, 1, MUST, .doc = "sockets"),
    COUNT(CHASSIS, cpu_cores, 1, MUST, .doc = "cores of all sockets together"),
    COUNT(CHASSIS, memory_capacity, 1, MUST, .doc = "GiB"),
    MAP(CHASSIS, power, POWER, .must = LB_SYSTEM_ONPREM,
        .never = LB_SYSTEM_CLOUD, .doc = "power supplies of one"),

    COUNT(PORT, unit_count, 1, MUST, .doc = "ports that are like this"),
    WORD(PORT, type, "ethernet|infiniband|other", MUST, .doc = "of the link"),
    WORD(PORT, state, "up|down", MUST, .doc = "in the runs"),
    COUNT(PORT, speed, 1, .must = LB_SYSTEM_UP, .doc = "Gbit/s"),
    {KEY(PORT, traffic), .type = LB_SYSTEM_WORDS,
     .words = "management|data|metadata|backend", .must = LB_SYSTEM_UP,
     .doc = "what goes through it"},

    COUNT(DRIVE, unit_count, 1, MUST, .doc = "drives that are like this"),
    TEXT(DRIVE, vendor_name, MUST, .doc = "who sells it"),
    TEXT(DRIVE, model_name, MUST, .doc = "the vendor's name of it"),
    WORD(DRIVE, interface, "nvme|sas|sata|other", .old_words = "SAS|SATA", MUST,
         .doc = "of the drive"),
    WORD(DRIVE, media_type, "HDD|TLC|QLC|other", MUST,
         .doc = "disk, or kind of cell"),
    COUNT(DRIVE, capacity_in_GB, 1, MUST, .doc = "GB of 10^9 bytes"),
    MAP(DRIVE, performance, PERFORMANCE, .doc = "by the vendor's data sheet"),

    COUNT(PERFORMANCE, seq_read_MBps, 1, MUST, .doc = "MB/s"),
    COUNT(PERFORMANCE, seq_write_MBps, 1, MUST, .doc = "MB/s"),
    COUNT(PERFORMANCE, random_read_IOPS, 1, MUST, .doc = "of 4 KiB, 1/s"),
    COUNT(PERFORMANCE, random_write_IOPS, 1, MUST, .doc = "of 4 KiB, 1/s"),
    WORD(PERFORMANCE, form_factor,
         "U.2|U.3|M.2|E1.S|E1.L|E3.S|E3.L|2.5in|3.5in|AIC|other",
         .doc = "of the drive"),
    TEXT(PERFORMANCE, interface_speed, .doc = "the link: PCIe Gen5 x4"),

    TEXT(OS, name, MUST, .doc = "of the operating system or firmware"),
    TEXT(OS, version, MUST, .doc = "of that, in quotes"),

    TEXT(SETTING, name, MUST, .doc = "of the setting"),
    TEXT(SETTING, value, MUST, .doc = "in the runs, in quotes"),

    COUNT(SWITCH, unit_count, 1, MUST, .doc = "switches that are like this"),
    TEXT(SWITCH, vendor_name, MUST, .doc = "who sells it"),
    TEXT(SWITCH, model_name, MUST, .doc = "the vendor's name of it"),
    MAPS(SWITCH, ports, PORT, MUST, .doc = "alike ones in one entry"),
    MAPS(SWITCH, configuration, SETTING, .doc = "settings that are not usual"),
    COUNT(SWITCH, rack_units, 1, MUST, .doc = "rack units of one"),
    MAP(SWITCH, power, POWER, .must = LB_SYSTEM_ONPREM,
        .doc = "power supplies of one"),

    COUNT(POWER, min_psus_active, 1, MUST,
          .doc = "power supplies that it needs to go on"),
    MAPS(POWER, psus_configured, SUPPLY, MUST,
         .doc = "power supplies it has, alike ones in one entry"),

    COUNT(SUPPLY, unit_count, 1, MUST, .doc = "supplies that are like this"),
    COUNT(SUPPLY, inlet_voltage, 1, MUST, .doc = "V"),
    COUNT(SUPPLY, nameplate_power_watts, 1, MUST, .doc = "W"),
    WORD(SUPPLY, efficiency,
         "Standard|Bronze|Silver|Gold|Platinum|Titanium|Ruby|Unrated", MUST,
         .doc = "80 PLUS"),
};
const size_t lb_system_n_keys =
    sizeof lb_system_keys / sizeof lb_system_keys[0];

const struct lb_system_key *lb_system_key(enum lb_system_map of,
                                          const char *name)
{
  for (size_t i = 0; i < lb_system_n_keys; i++)
    if (lb_system_keys[i].of == of && !strcmp(lb_system_keys[i].name, name))
      return &lb_system_keys[i];
  return NULL;
}

/* "a|b|c" to "a, b or c". */
static void enumerate(const char *words, char *out, size_t size)
{
  size_t n = 0;
  const char *last = strrchr(words, '|');
  for (const char *p = words; *p && n + 5 < size; p++) {
    const char *text = p == last ? " or " : *p == '|' ? ", " : NULL;
    if (text)
      n += (size_t)snprintf(out + n, size - n, "%s", text);
    else
      out[n++] = *p;
  }
  out[n] = '\0';
}

void lb_system_allowed(const struct lb_system_key *k,
                       char out[LB_SYSTEM_ALLOWED])
{
  static const char *const words[] = {[LB_SYSTEM_TEXT] = "a text",
                                      [LB_SYSTEM_BOOLEAN] = "true or false",
                                      [LB_SYSTEM_MAP] = "a map",
                                      [LB_SYSTEM_MAPS] = "a list of maps"};
  size_t n = 0;
  if (k->type == LB_SYSTEM_INTEGER) {
    snprintf(out, LB_SYSTEM_ALLOWED, "an integer, at least %" PRId64, k->min);
  } else if (k->words) {
    if (k->type == LB_SYSTEM_WORDS)
      n = (size_t)snprintf(out, LB_SYSTEM_ALLOWED, "a list of ");
    enumerate(k->words, out + n, LB_SYSTEM_ALLOWED - n);
  } else {
    snprintf(out, LB_SYSTEM_ALLOWED, "%s", words[k->type]);
  }
}
