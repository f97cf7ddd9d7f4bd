import { expect, test } from 'vitest'
import { ask } from './ask.ts'

const items = (count: number, groups: number) =>
  Array.from({ length: count }, (_, id) => ({ id, group: `g${id % groups}` }))

/** each comprehension is evaluated for every group, so the index answers all but the first evaluation */
test.each([
  ['as a list', '[y.id | some y in input.items; y.group == g]', { g0: [0, 2, 4], g1: [1, 3] }],
  ['as a set', '{y.id | some y in input.items; g == y.group}', { g0: [0, 2, 4], g1: [1, 3] }],
  ['by unification', '[y.id | y := input.items[_]; y.group = g]', { g0: [0, 2, 4], g1: [1, 3] }],
  ['through a local list', '[y.id | some y in xs; y.group == g]', { g0: [0, 2, 4], g1: [1, 3] }],
  ['with a condition', '[y.id | some y in xs; y.group == g; y.id > 1]', { g0: [2, 4], g1: [3] }],
  ['by a name of its own', '[y.id | some y in xs; other := y.group; other == g]', { g0: [0, 2, 4], g1: [1, 3] }],
  [
    'with a key that is shown',
    '[[g, y.id] | some y in xs; y.group == g; y.id > 2]',
    { g0: [['g0', 4]], g1: [['g1', 3]] },
  ],
  ['with a key used twice', '[y.id | some y in xs; y.group == g; g != "g1"]', { g0: [0, 2, 4], g1: [] }],
  ['by two keys', '[y.id | some y in xs; y.group == g; y.id == n]', { g0: [0], g1: [] }],
  ['of something undefined', '[y.id | some y in xs; y.none == g]', { g0: [], g1: [] }],
  ['negated', '[y.id | some y in xs; not y.group == g]', { g0: [1, 3], g1: [0, 2, 4] }],
])('groups %s', async (_what, comprehension, wanted) => {
  const module = `p[g] := vs if { xs := input.items; n := 0; some x in xs; g := x.group; vs := ${comprehension} }`
  expect(await ask(module, { input: { items: items(5, 2) } })).toEqual(wanted)
})

test('numbers that are equal are one group, however they are written', async () => {
  const module =
    'p := [vs | some k in [1, 1.0, 2]; vs := [y.v | some y in [{"k": 1.0, "v": "a"}, {"k": 1, "v": "b"}]; y.k == k]]'
  expect(await ask(module)).toEqual([['a', 'b'], ['a', 'b'], []])
})

test('each list, each call and each document has its own groups', async () => {
  const module = `
    of(xs, g) := [y.id | some y in xs; y.group == g]
    from_input(g) := [y.id | some y in input.items; y.group == g]
    p := [of(xs, g) | some xs in [input.items, [{"id": 9, "group": "g0"}]]; some g in ["g0", "g1", "g0"]]
      if not input.changed
    p := [vs | some g in ["g0", "g1"]; vs := from_input(g) with input.items as [{"id": 9, "group": g}]] if input.changed`
  const input = { items: items(3, 2) }
  expect(await ask(module, { input })).toEqual([[0, 2], [1], [0, 2], [9], [], [9]])
  expect(await ask(module, { input: { ...input, changed: true } })).toEqual([[9], [9]])
})

test('the steps of grouping grow linearly with the items', async () => {
  const module =
    'p := count({g: vs | some x in input.items; g := x.group; vs := [y.id | some y in input.items; y.group == g]})'
  expect(await ask(module, { input: { items: items(1_600, 400) } })).toBe(400)
})

test('more items than an index can contain are searched each time', async () => {
  const numbers = '[n | some n in numbers.range(1, 25000); half := n % 2; half == g]'
  expect(await ask(`p := [count(vs) | some g in [0, 1, 0]; vs := ${numbers}]`)).toEqual([12_500, 12_500, 12_500])
})
