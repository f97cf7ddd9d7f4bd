import * as z from 'zod'
import { expect, test } from 'vitest'
import { extended, object, strictObject } from '../../../shared/base/lazy-fields.ts'

/** Fields that count how often they are made. */
function counted() {
  let made = 0
  const fields = () => {
    made++
    return { name: z.string().min(1), size: z.int().optional() }
  }
  return { fields, made: () => made }
}

const PLAIN = { name: z.string().min(1), size: z.int().optional() }

test('fields are created once, when a schema is first used', () => {
  const { fields, made } = counted()
  const schema = strictObject(fields)
  const derived = extended(schema.meta({ description: 'a box' }), () => ({ colour: z.string() }))
  const listed = z.array(derived.optional())
  expect(made()).toBe(0)
  expect(listed.parse([{ name: 'a', colour: 'red' }])).toEqual([{ name: 'a', colour: 'red' }])
  expect(schema.parse({ name: 'b' })).toEqual({ name: 'b' })
  expect(Object.keys(schema.shape)).toEqual(['name', 'size'])
  expect(made()).toBe(1)
})

test.each([
  ['object', object(() => PLAIN), z.object(PLAIN)],
  ['strictObject', strictObject(() => PLAIN), z.strictObject(PLAIN)],
  [
    'extended',
    extended(
      strictObject(() => PLAIN),
      () => ({ on: z.boolean() }),
    ),
    z.strictObject({ ...PLAIN, on: z.boolean() }),
  ],
  [
    'extended, with a field anew',
    extended(
      object(() => PLAIN),
      () => ({ size: z.string() }),
    ),
    z.object({ ...PLAIN, size: z.string() }),
  ],
])('%s accepts, refuses and describes as the schema of zod does', (_name, ours, theirs) => {
  const inputs = [
    { name: 'a' },
    { name: 'a', size: 1, on: true },
    { name: '' },
    { name: 'a', size: 'x', on: 1 },
    { name: 'a', other: 1 },
    {},
    null,
    [],
  ]
  for (const input of inputs) {
    const [mine, its] = [ours.safeParse(input), theirs.safeParse(input)]
    expect(mine.success ? mine.data : mine.error.issues).toEqual(its.success ? its.data : its.error.issues)
  }
  expect(z.toJSONSchema(ours)).toEqual(z.toJSONSchema(theirs))
})

test('extended keeps the refinements and the strictness of its base', () => {
  const base = strictObject(() => PLAIN).refine(({ name }) => name !== 'none', { error: 'must not be none' })
  const schema = extended(base, () => ({ on: z.boolean() }))
  expect(schema.safeParse({ name: 'none', on: true }).error?.issues[0]?.message).toBe('must not be none')
  expect(schema.safeParse({ name: 'a', on: true, more: 1 }).success).toBe(false)
})
