import { Refusal, ruleBroken } from '../base/errors.ts'
import { defined } from '../base/fields.ts'
import { resourceUri, type CommonFields } from '../base/ids.ts'
import { DAY_MS } from '../base/time.ts'
import type { Context } from '../http/context.ts'
import { isPermitted } from '../http/permission.ts'
import { users } from '../identity/users/store.ts'
import { changeRecord, findRecord } from '../resource/records.ts'
import { resource } from '../resource/resource.ts'
import type { Stored } from '../store/entity.ts'
import { OWN_BOARD, WIDE_BOARD, WIDE_KINDS, type BlockedKind, type BoardEntry } from './board.ts'
import { CreateEmergencyBlock, EmergencyBlock, EmergencyBlockQuery, type BlockState } from './model.ts'
import { boards, emergencyBlocks, type StoredBlock } from './store.ts'
import { findTarget } from './targets.ts'

/** Ours: maximum duration of a block, in days. To stop a resource for longer, disable or delete it. */
const DAYS_MOST = 90
/**
 * Ours: maximum number of blocks and drills in force. One item contains them, and every call of the domain compares
 * them all.
 */
const ENTRIES_MOST = 100

type Times = Pick<StoredBlock, 'until' | 'opening_at' | 'opened_at'>

/** The state at a time. A block lapses without a write. */
export function stateOf({ until, opening_at: opening, opened_at: opened }: Times, now: Date): BlockState {
  if (opened !== undefined) return 'opened'
  if (Date.parse(until) <= now.getTime()) return 'lapsed'
  return opening === undefined ? 'active' : 'opening'
}

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)

/** The rules between the fields of a body. @throws Refusal RULE_BROKEN */
function assertSound({ until, drill, callers, confirmers }: CreateEmergencyBlock, now: Date): void {
  const aheadMs = Date.parse(until) - now.getTime()
  if (aheadMs <= 0 || aheadMs > DAYS_MOST * DAY_MS) throw ruleBroken('until', `must be in the next ${DAYS_MOST} days`)
  if (drill && confirmers.length > 0) throw ruleBroken('confirmers', 'must be absent of a drill, which ends at once')
  if (!drill && callers !== undefined) throw ruleBroken('callers', 'must be absent of a block, which refuses everyone')
  if (!drill && confirmers.length === 0) throw ruleBroken('confirmers', 'must name a user')
}

/** @throws Refusal RULE_BROKEN for an unknown user, and when only the caller could confirm */
async function confirmerIds({ caller }: Context, names: readonly string[]): Promise<string[]> {
  const ids = await Promise.all(names.map((name) => users.holder(caller.domain.id, 'username', name)))
  const unknown = names.findIndex((_name, at) => ids[at] === undefined)
  if (unknown >= 0) throw ruleBroken('confirmers', 'must be users of the domain', `#/confirmers/${unknown}`)
  if (names.length > 0 && ids.every((id) => id === caller.sub))
    throw ruleBroken('confirmers', 'must name another user than you')
  return ids.filter((id) => id !== undefined)
}

const boardOf = (kind: BlockedKind): string => (WIDE_KINDS.includes(kind) ? WIDE_BOARD : OWN_BOARD)

/**
 * Stages a board with its entries in force, changed by `next`. Concurrent changes of a board conflict by its revision.
 */
async function changeBoard(
  { caller, changes, now }: Context,
  id: string,
  next: (entries: readonly BoardEntry[]) => readonly BoardEntry[],
): Promise<void> {
  const domain = caller.domain.id
  const stored = await boards.get(domain, id)
  const inForce = (stored?.item.entries ?? []).filter(({ until }) => Date.parse(until) > now.getTime())
  const entries = next(inForce).map((entry) => ({ ...entry, callers: entry.callers && [...entry.callers] }))
  if (stored === undefined) changes.create(boards, domain, { id, entries })
  else changes.update(boards, domain, stored, { id, entries })
}

/** @throws Refusal STATE_CONFLICT when the board is full */
function withEntry(entries: readonly BoardEntry[], entry: BoardEntry): readonly BoardEntry[] {
  if (entries.length >= ENTRIES_MOST)
    throw conflict(`A domain has at most ${ENTRIES_MOST} blocks and drills in force at a time.`)
  return [...entries, entry]
}

async function make(context: Context, body: CreateEmergencyBlock, common: CommonFields): Promise<StoredBlock> {
  const { caller, now } = context
  const { kind, reason, until, drill, callers, confirmers } = body
  const found = await findTarget(caller, kind, body.target)
  assertSound(body, now)
  const confirmer_ids = await confirmerIds(context, confirmers)
  const heard = drill ? [...(callers ?? [])] : undefined
  const entry: BoardEntry = { id: common.id, kind, target: found.target, until, ...defined({ callers: heard }) }
  await changeBoard(context, boardOf(kind), (entries) => withEntry(entries, entry))
  return {
    ...common,
    ...{ kind, ...found, reason, until, drill, confirmers, confirmer_ids },
    ...defined({ callers: heard }),
    created_by: caller.username,
  }
}

/** Blocks and drills, newest first. Those of clouds and domains belong to the root domain. */
export const blockResource = resource({
  entity: emergencyBlocks,
  noun: 'emergency block',
  title: 'Emergency Block',
  at: '/v1/emergency/blocks',
  reads: 'admins',
  changes: 'admins',
  answers: EmergencyBlock,
  query: EmergencyBlockQuery,
  createBody: CreateEmergencyBlock,
  stays: true,
  uri: (domain, id) => resourceUri(domain, 'emergency', 'blocks', id),
  nameOf: ({ target_name }) => target_name,
  audited: [
    ...(['kind', 'target', 'target_uri', 'reason', 'until', 'confirmers', 'drill', 'callers'] as const),
    ...(['opening_by', 'opening_at', 'opened_by', 'opened_at'] as const),
  ],
  patterns: [],
  make,
  narrow: ({ now }, { state }) => ({
    order: 'newest first',
    answered: ['state'],
    tests: [state && ((row) => state.includes(stateOf(row, now)))],
  }),
  present: ({ confirmer_ids: _, opening_by_id: __, ...block }, { now }): EmergencyBlock => ({
    ...block,
    state: stateOf(block, now),
  }),
})

const withoutEntry = (context: Context, { id, kind }: StoredBlock): Promise<void> =>
  changeBoard(context, boardOf(kind), (entries) => entries.filter((entry) => entry.id !== id))

/**
 * Asks to open a block before its time; it stays closed until one of its confirmers confirms. A drill ends at once.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT unless it is active
 */
export const openBlock = (context: Context, id: string): Promise<Stored<EmergencyBlock>> =>
  changeRecord(blockResource, context, id, async (block): Promise<StoredBlock> => {
    const { caller, now } = context
    const state = stateOf(block, now)
    if (state === 'opening') throw conflict(`${block.opening_by ?? 'Somebody'} asked to open it already.`)
    if (state !== 'active') throw conflict(`It is ${state} already.`)
    const at = now.toISOString()
    if (!block.drill) return { ...block, opening_by: caller.username, opening_by_id: caller.sub, opening_at: at }
    await withoutEntry(context, block)
    return { ...block, opened_by: caller.username, opened_at: at }
  })

/**
 * Opens a block for one of its confirmers. Ours: the user who asked for the opening cannot confirm it.
 * @throws Refusal NOT_FOUND, also for a caller who may neither see nor confirm it; ACTION_DENIED, STATE_CONFLICT,
 * VERSION_STALE
 */
export async function confirmOpening(context: Context, id: string): Promise<Stored<EmergencyBlock>> {
  const { caller, now } = context
  const { item } = await findRecord(blockResource, context, id)
  if (!item.confirmer_ids.includes(caller.sub)) {
    if (!isPermitted('admins', caller)) throw new Refusal('NOT_FOUND', 'There is no such emergency block.')
    throw new Refusal('ACTION_DENIED', `This takes one of ${item.confirmers.join(', ')}.`)
  }
  return changeRecord(blockResource, context, id, async (block): Promise<StoredBlock> => {
    const state = stateOf(block, now)
    if (state !== 'opening') throw conflict(`Nobody asks to open it: it is ${state}.`)
    if (block.opening_by_id === caller.sub)
      throw new Refusal('ACTION_DENIED', 'Another user than the one who asked for the opening must confirm it.')
    await withoutEntry(context, block)
    return { ...block, opened_by: caller.username, opened_at: now.toISOString() }
  })
}
