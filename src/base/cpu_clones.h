/*
 * Loops that the profile names are compiled twice, for any x86-64 and for one with AVX2 and BMI2;
 * the loader takes what the machine has. A level and not a processor's name: "arch=haswell" would
 * ask whether it is a Haswell, and no other maker's processor is one. Not x86-64-v4 either, whose
 * scatters made two of the loops slower. The indirect functions behind it do not get along with the
 * sanitizers' start-up. Results do not depend on the choice: the build forbids fused multiply-adds.
 */
#ifndef BASE_CPU_CLONES_H
#define BASE_CPU_CLONES_H

#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
#define CPU_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CPU_CLONES
#endif

#endif
