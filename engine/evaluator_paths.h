/* The paths of evaluate_many: the kernel of evaluator_batch.h for the instructions that a processor has,
 * chosen when it runs. Nothing here needs options of the compiler beyond the plain ones of its platform.
 *
 *   portable  vectors of 16 bytes in the terms of GNU C: SSE2 on x86-64, NEON on aarch64, plain words elsewhere
 *   avx2      vectors of 32 bytes, Intel since 2013, AMD since 2015
 *   avx512    vectors of 64 bytes, where AVX-512 F, BW and VL are there
 *
 * A compiler without GNU C gets hand by hand what evaluator.h says.
 */
#ifndef DUGOUT_EVALUATOR_PATHS_H
#define DUGOUT_EVALUATOR_PATHS_H

#include <stddef.h>
#include <string.h>

#include "evaluator.h"

enum { DUGOUT_PORTABLE, DUGOUT_AVX2, DUGOUT_AVX512, DUGOUT_PATHS };

enum { DUGOUT_MOST_CARDS = 13 };

#if defined(__GNUC__)

#define DUGOUT_VECTORS(ending, bytes)                                                   \
    typedef uint16_t dugout_words_##ending __attribute__((vector_size(bytes)));         \
    typedef int16_t dugout_signed_##ending __attribute__((vector_size(bytes)));         \
    typedef uint64_t dugout_quads_##ending __attribute__((vector_size(bytes)))

DUGOUT_VECTORS(portable, 16);

DUGOUT_INLINE dugout_words_portable dugout_pick_portable(dugout_words_portable mask, dugout_words_portable yes,
                                                         dugout_words_portable no)
{
    return no ^ ((yes ^ no) & mask);
}

/* Words of both vectors by their numbers; those of the second one go on where those of the first end. */
#if defined(__clang__) || __GNUC__ >= 12
#define DUGOUT_CHOOSE(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
#define DUGOUT_CHOOSE(x, y, ...) __builtin_shuffle(x, y, (dugout_words_portable){__VA_ARGS__})
#endif

DUGOUT_INLINE dugout_words_portable dugout_low_words_portable(dugout_words_portable x, dugout_words_portable y)
{
    return DUGOUT_CHOOSE(x, y, 0, 8, 1, 9, 2, 10, 3, 11);
}

DUGOUT_INLINE dugout_words_portable dugout_high_words_portable(dugout_words_portable x, dugout_words_portable y)
{
    return DUGOUT_CHOOSE(x, y, 4, 12, 5, 13, 6, 14, 7, 15);
}

DUGOUT_INLINE dugout_words_portable dugout_low_pairs_portable(dugout_words_portable x, dugout_words_portable y)
{
    return DUGOUT_CHOOSE(x, y, 0, 1, 8, 9, 2, 3, 10, 11);
}

DUGOUT_INLINE dugout_words_portable dugout_high_pairs_portable(dugout_words_portable x, dugout_words_portable y)
{
    return DUGOUT_CHOOSE(x, y, 4, 5, 12, 13, 6, 7, 14, 15);
}

DUGOUT_INLINE dugout_words_portable dugout_mirror_portable(dugout_words_portable x)
{
    x = x << 8 | x >> 8;
    x = (x & 0x0F0F) << 4 | (x >> 4 & 0x0F0F);
    x = (x & 0x3333) << 2 | (x >> 2 & 0x3333);
    return (x & 0x5555) << 1 | (x >> 1 & 0x5555);
}

DUGOUT_INLINE dugout_words_portable dugout_count_bytes_portable(dugout_words_portable x)
{
    x -= x >> 1 & 0x5555;
    x = (x & 0x3333) + (x >> 2 & 0x3333);
    return (x + (x >> 4)) & 0x0F0F;
}

DUGOUT_INLINE dugout_words_portable dugout_sum_bytes_portable(dugout_words_portable x)
{
    return (x & 0xFF) + (x >> 8);
}

DUGOUT_INLINE int dugout_any_portable(dugout_words_portable x)
{
    dugout_quads_portable halves = (dugout_quads_portable)x;
    return (halves[0] | halves[1]) != 0;
}

#define DUGOUT_BYTES 16
#define DUGOUT_NAME(name) name##_portable
#define DUGOUT_CODE DUGOUT_INLINE
#include "evaluator_batch.h"
#undef DUGOUT_BYTES
#undef DUGOUT_NAME
#undef DUGOUT_CODE

#endif

#if defined(__GNUC__) && defined(__x86_64__)
#define DUGOUT_X86 1
#include <immintrin.h>

/* Bits of a nibble in the opposite order, in the high or the low half of a byte, and how many are set. */
#define DUGOUT_MIRRORED_HIGH 0xF070B030D0509010ULL, 0xE060A020C0408000ULL
#define DUGOUT_MIRRORED_LOW 0x0F070B030D050901ULL, 0x0E060A020C040800ULL
#define DUGOUT_BITS_SET 0x0403030203020201ULL, 0x0302020102010100ULL
#define DUGOUT_BYTES_SWAPPED 0x0E0F0C0D0A0B0809ULL, 0x0607040502030001ULL

#define DUGOUT_CODE DUGOUT_INLINE __attribute__((target("avx2")))
DUGOUT_VECTORS(avx2, 32);

DUGOUT_CODE dugout_words_avx2 dugout_pick_avx2(dugout_words_avx2 mask, dugout_words_avx2 yes,
                                               dugout_words_avx2 no)
{
    return (dugout_words_avx2)_mm256_blendv_epi8((__m256i)no, (__m256i)yes, (__m256i)mask);
}

DUGOUT_CODE dugout_words_avx2 dugout_low_words_avx2(dugout_words_avx2 x, dugout_words_avx2 y)
{
    return (dugout_words_avx2)_mm256_unpacklo_epi16((__m256i)x, (__m256i)y);
}

DUGOUT_CODE dugout_words_avx2 dugout_high_words_avx2(dugout_words_avx2 x, dugout_words_avx2 y)
{
    return (dugout_words_avx2)_mm256_unpackhi_epi16((__m256i)x, (__m256i)y);
}

DUGOUT_CODE dugout_words_avx2 dugout_low_pairs_avx2(dugout_words_avx2 x, dugout_words_avx2 y)
{
    return (dugout_words_avx2)_mm256_unpacklo_epi32((__m256i)x, (__m256i)y);
}

DUGOUT_CODE dugout_words_avx2 dugout_high_pairs_avx2(dugout_words_avx2 x, dugout_words_avx2 y)
{
    return (dugout_words_avx2)_mm256_unpackhi_epi32((__m256i)x, (__m256i)y);
}

DUGOUT_CODE __m256i dugout_low_nibbles_avx2(__m256i x) { return _mm256_and_si256(x, _mm256_set1_epi8(0x0F)); }

DUGOUT_CODE __m256i dugout_high_nibbles_avx2(__m256i x)
{
    return dugout_low_nibbles_avx2(_mm256_srli_epi16(x, 4));
}

DUGOUT_CODE __m256i dugout_table_avx2(uint64_t high, uint64_t low)
{
    return _mm256_set_epi64x((long long)high, (long long)low, (long long)high, (long long)low);
}

DUGOUT_CODE dugout_words_avx2 dugout_mirror_avx2(dugout_words_avx2 words)
{
    __m256i x = (__m256i)words;
    __m256i high = _mm256_shuffle_epi8(dugout_table_avx2(DUGOUT_MIRRORED_HIGH), dugout_low_nibbles_avx2(x));
    __m256i low = _mm256_shuffle_epi8(dugout_table_avx2(DUGOUT_MIRRORED_LOW), dugout_high_nibbles_avx2(x));
    return (dugout_words_avx2)_mm256_shuffle_epi8(_mm256_or_si256(high, low),
                                                  dugout_table_avx2(DUGOUT_BYTES_SWAPPED));
}

DUGOUT_CODE dugout_words_avx2 dugout_count_bytes_avx2(dugout_words_avx2 words)
{
    __m256i x = (__m256i)words, set = dugout_table_avx2(DUGOUT_BITS_SET);
    return (dugout_words_avx2)_mm256_add_epi8(_mm256_shuffle_epi8(set, dugout_low_nibbles_avx2(x)),
                                              _mm256_shuffle_epi8(set, dugout_high_nibbles_avx2(x)));
}

DUGOUT_CODE dugout_words_avx2 dugout_sum_bytes_avx2(dugout_words_avx2 x)
{
    return (dugout_words_avx2)_mm256_maddubs_epi16((__m256i)x, _mm256_set1_epi8(1));
}

DUGOUT_CODE int dugout_any_avx2(dugout_words_avx2 x) { return !_mm256_testz_si256((__m256i)x, (__m256i)x); }

#define DUGOUT_BYTES 32
#define DUGOUT_NAME(name) name##_avx2
#include "evaluator_batch.h"
#undef DUGOUT_BYTES
#undef DUGOUT_NAME
#undef DUGOUT_CODE

#define DUGOUT_CODE DUGOUT_INLINE __attribute__((target("avx512f,avx512bw,avx512vl")))
DUGOUT_VECTORS(avx512, 64);

DUGOUT_CODE dugout_words_avx512 dugout_pick_avx512(dugout_words_avx512 mask, dugout_words_avx512 yes,
                                                   dugout_words_avx512 no)
{
    return (dugout_words_avx512)_mm512_ternarylogic_epi64((__m512i)mask, (__m512i)yes, (__m512i)no, 0xCA);
}

DUGOUT_CODE dugout_words_avx512 dugout_low_words_avx512(dugout_words_avx512 x, dugout_words_avx512 y)
{
    return (dugout_words_avx512)_mm512_unpacklo_epi16((__m512i)x, (__m512i)y);
}

DUGOUT_CODE dugout_words_avx512 dugout_high_words_avx512(dugout_words_avx512 x, dugout_words_avx512 y)
{
    return (dugout_words_avx512)_mm512_unpackhi_epi16((__m512i)x, (__m512i)y);
}

DUGOUT_CODE dugout_words_avx512 dugout_low_pairs_avx512(dugout_words_avx512 x, dugout_words_avx512 y)
{
    return (dugout_words_avx512)_mm512_unpacklo_epi32((__m512i)x, (__m512i)y);
}

DUGOUT_CODE dugout_words_avx512 dugout_high_pairs_avx512(dugout_words_avx512 x, dugout_words_avx512 y)
{
    return (dugout_words_avx512)_mm512_unpackhi_epi32((__m512i)x, (__m512i)y);
}

DUGOUT_CODE __m512i dugout_low_nibbles_avx512(__m512i x)
{
    return _mm512_and_si512(x, _mm512_set1_epi8(0x0F));
}

DUGOUT_CODE __m512i dugout_high_nibbles_avx512(__m512i x)
{
    return dugout_low_nibbles_avx512(_mm512_srli_epi16(x, 4));
}

DUGOUT_CODE __m512i dugout_table_avx512(uint64_t high, uint64_t low)
{
    return _mm512_set4_epi64((long long)high, (long long)low, (long long)high, (long long)low);
}

DUGOUT_CODE dugout_words_avx512 dugout_mirror_avx512(dugout_words_avx512 words)
{
    __m512i x = (__m512i)words;
    __m512i high = _mm512_shuffle_epi8(dugout_table_avx512(DUGOUT_MIRRORED_HIGH), dugout_low_nibbles_avx512(x));
    __m512i low = _mm512_shuffle_epi8(dugout_table_avx512(DUGOUT_MIRRORED_LOW), dugout_high_nibbles_avx512(x));
    return (dugout_words_avx512)_mm512_shuffle_epi8(_mm512_or_si512(high, low),
                                                    dugout_table_avx512(DUGOUT_BYTES_SWAPPED));
}

DUGOUT_CODE dugout_words_avx512 dugout_count_bytes_avx512(dugout_words_avx512 words)
{
    __m512i x = (__m512i)words, set = dugout_table_avx512(DUGOUT_BITS_SET);
    return (dugout_words_avx512)_mm512_add_epi8(_mm512_shuffle_epi8(set, dugout_low_nibbles_avx512(x)),
                                              _mm512_shuffle_epi8(set, dugout_high_nibbles_avx512(x)));
}

DUGOUT_CODE dugout_words_avx512 dugout_sum_bytes_avx512(dugout_words_avx512 x)
{
    return (dugout_words_avx512)_mm512_maddubs_epi16((__m512i)x, _mm512_set1_epi8(1));
}

DUGOUT_CODE int dugout_any_avx512(dugout_words_avx512 x)
{
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x) != 0;
}

#define DUGOUT_BYTES 64
#define DUGOUT_NAME(name) name##_avx512
#include "evaluator_batch.h"
#undef DUGOUT_BYTES
#undef DUGOUT_NAME
#undef DUGOUT_CODE

#endif

typedef size_t (*dugout_batch)(const char *cards, const char *wild, int one_wild, size_t hands, unsigned flags,
                               char *out);

/* A path for the standard ranking, where the other rankings cost nothing, and for all of them. */
#define DUGOUT_PATH(ending, attributes)                                                                       \
    attributes static size_t dugout_batch_##ending(const char *cards, const char *wild, int one_wild,         \
                                                   size_t hands, unsigned flags, char *out)                   \
    {                                                                                                         \
        if (flags) {                                                                                          \
            return dugout_batch_as_##ending(cards, wild, one_wild, hands, flags, out);                        \
        }                                                                                                     \
        return dugout_batch_as_##ending(cards, wild, one_wild, hands, 0, out);                                \
    }

#if defined(__GNUC__)
DUGOUT_PATH(portable, )
#else
static size_t dugout_batch_portable(const char *cards, const char *wild, int one_wild, size_t hands,
                                    unsigned flags, char *out)
{
    for (size_t at = 0; at < hands; at++) {
        uint64_t hand, wilds, value;
        memcpy(&hand, cards + 8 * at, 8);
        memcpy(&wilds, one_wild ? wild : wild + 8 * at, 8);
        if ((hand | wilds) >> 52 || !hand || dugout_count(hand) > DUGOUT_MOST_CARDS) {
            return at;
        }
        value = dugout_value_as(hand, wilds, flags);
        memcpy(out + 8 * at, &value, 8);
    }
    return hands;
}
#endif

#if DUGOUT_X86
DUGOUT_PATH(avx2, __attribute__((target("avx2"))))
DUGOUT_PATH(avx512, __attribute__((target("avx512f,avx512bw,avx512vl"))))
#endif

/* A path, NULL where the processor or the system lacks it. */
static inline dugout_batch dugout_batch_on(int path)
{
    switch (path) {
    case DUGOUT_PORTABLE:
        return dugout_batch_portable;
#if DUGOUT_X86
    case DUGOUT_AVX2:
        return __builtin_cpu_supports("avx2") ? dugout_batch_avx2 : NULL;
    case DUGOUT_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
                    && __builtin_cpu_supports("avx512vl")
                 ? dugout_batch_avx512
                 : NULL;
#endif
    default:
        return NULL;
    }
}

#endif
