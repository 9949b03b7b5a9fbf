// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once
// The site's nodes and configuration.

#include <string>

#include "lib/io/json_fwd.h"

namespace longhaul::slurmapi {

/// {"schema":1,"nodes":[{"name","state","flags","reason"},...]}. @param hosts "" is all of them.
io::Json load_nodes_json(const std::string& hosts);

/// {"schema":1,"conf":{"KillWait":"30 sec",...}} with the texts of `scontrol show config`, and
/// "partitions": the settings that decide about preemption and limits.
io::Json load_conf_json();

}  // namespace longhaul::slurmapi
