// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// Include before hwy/foreach_target.h: limits the instruction sets that kernels are compiled for to
// three (scalar code as the floor, AVX2, AVX-512). The ones left out differ from these in
// instructions that no kernel here uses, and each costs compile time.

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
