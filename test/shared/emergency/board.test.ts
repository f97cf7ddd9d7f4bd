import { expect, test } from 'vitest'
import fc from '../../support/fast-check.ts'
import {
  BLOCKED_KINDS,
  blocksOf,
  decide,
  NO_BLOCKS,
  OWN_BOARD,
  WIDE_BOARD,
  type BoardEntry,
} from '../../../shared/emergency/board.ts'

const NAMES = ['a', 'b', 'c']
const DOMAIN = 'a'
const HOUR = 3_600_000

const name = fc.constantFrom(...NAMES)
const entry = (kinds: readonly BoardEntry['kind'][]) =>
  fc.record({
    id: fc.uuid(),
    kind: fc.constantFrom(...kinds),
    target: name,
    until: fc.integer({ min: 0, max: 3 }).map((hours) => new Date(hours * HOUR).toISOString()),
    callers: fc.option(fc.array(name), { nil: undefined }),
  })
const board = (id: string, kinds: readonly BoardEntry['kind'][]) =>
  fc.option(fc.record({ id: fc.constant(id), entries: fc.array(entry(kinds), { maxLength: 5 }) }), { nil: undefined })
const used = fc.record({
  key: fc.option(name, { nil: undefined }),
  ids: fc.array(fc.option(name, { nil: undefined }), { maxLength: 2 }),
  clouds: fc.array(name, { maxLength: 2 }),
})
const boards = [board(OWN_BOARD, ['key', 'endpoint', 'container']), board(WIDE_BOARD, ['cloud', 'domain'])] as const

/** The same decision in other words, one entry at a time. */
function names({ kind, target }: BoardEntry, part: { key?: string | undefined; ids: unknown[]; clouds: string[] }) {
  if (kind === 'domain') return target === DOMAIN
  return { key: [part.key], endpoint: part.ids, container: part.ids, cloud: part.clouds }[kind].includes(target)
}

test('exactly the entries in force that name a part of the call apply', () => {
  fc.assert(
    fc.property(
      ...boards,
      used,
      fc.option(name, { nil: undefined }),
      fc.integer({ min: 0, max: 3 }),
      (own, wide, ...rest) => {
        const [{ key, ...others }, caller, hours] = rest
        const part = { ...others, ...(key !== undefined && { key }) }
        const nowMs = hours * HOUR
        const wanted = [...(own?.entries ?? []), ...(wide?.entries ?? [])].filter(
          (each) => nowMs < Date.parse(each.until) && names(each, { key, ...others }),
        )
        const { isRefused, met } = decide(blocksOf(DOMAIN, own, wide), part, caller, nowMs)
        expect(met).toEqual(wanted.map(({ id }) => id))
        expect(isRefused).toBe(
          wanted.some(({ callers }) => callers === undefined || (caller !== undefined && callers.includes(caller))),
        )
      },
    ),
  )
})

test('a domain without its own block has none, although others have', () => {
  const other = { id: 'x', kind: 'domain', target: 'b', until: new Date(HOUR).toISOString() } as const
  expect(blocksOf(DOMAIN, undefined, { id: WIDE_BOARD, entries: [other] })).toBe(NO_BLOCKS)
  expect(BLOCKED_KINDS).toContain('domain')
})
