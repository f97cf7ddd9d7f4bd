import { Refusal } from '../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../base/ids.ts'
import type { Moment } from '../base/moment.ts'
import { StaleCache } from '../base/stale-cache.ts'
import {
  BLOCKED,
  blocksOf,
  BOARD,
  decide,
  NO_BLOCKS,
  OWN_BOARD,
  WIDE_BOARD,
  type Board,
  type Blocks,
  type Used,
} from '../emergency/board.ts'
import { itemKey } from '../store/layout.ts'
import {
  BLOCKS_OF_CALL,
  callerIn,
  type AccessLog,
  type BlocksOfCall,
  type CommonRecord,
  type FieldTable,
} from './access-log.ts'
import { STATE_BOUNDS } from './key-use/bounds.ts'
import { after, type MaybePromise } from './maybe-promise.ts'
import { readEntity } from './sdkless/dynamo.ts'

const boards = new StaleCache<Blocks>(STATE_BOUNDS)

async function read(domain: string, { epochMs }: Moment): Promise<Blocks> {
  const [own, wide] = await Promise.all([
    readEntity<Board>(itemKey(domain, BOARD, OWN_BOARD), epochMs),
    readEntity<Board>(itemKey(ROOT_DOMAIN_ID, BOARD, WIDE_BOARD), epochMs),
  ])
  return blocksOf(domain, own, wide)
}

/** The blocks of a domain, at most five seconds old. @throws Refusal UNAVAILABLE */
const blocksIn = (domain: string, now: Moment): MaybePromise<Blocks> =>
  boards.get(domain, now, () => read(domain, now)) as MaybePromise<Blocks> // the read never returns `undefined`

/** Ours: a refusal may be repeated for this long after an opening. Refused calls cause at most one read in this time. */
const NOW_MS = 250

/** The blocks of a domain, at most `NOW_MS` old. @throws Refusal UNAVAILABLE */
const blocksNow = (domain: string, now: Moment): MaybePromise<Blocks> =>
  boards.youngerThan(NOW_MS, domain, now, () => read(domain, now)) as MaybePromise<Blocks>

/**
 * Reads the blocks of a domain with its endpoint: reads of one turn share a batch, so that the first call of an instance
 * waits for no further read.
 */
export function alsoBlocksOf(domain: string, now: Moment): void {
  const reading = blocksIn(domain, now)
  if (reading instanceof Promise) reading.catch(() => undefined) // the call reads them again
}

/** Adds the ids of the blocks and drills that a call met to its record. Their reports count them. */
function note(record: CommonRecord, met: readonly string[], caller: string | undefined): void {
  if (met.length === 0) return
  record.emergency = [...new Set([...(record.emergency?.split(' ') ?? []), ...met])].join(' ')
  record.emergencyBy = caller ?? ''
}

/**
 * Refuses a call that a block of its domain names, or a drill that names its caller. `assertKeyOpen` checks further
 * parts of the call. Without blocks, it only reads the cache.
 * @param used by the call; `undefined` if it is never refused
 * @throws Refusal STATE_CONFLICT, UNAVAILABLE
 */
export function underBlocks<Fields extends FieldTable>(
  domain: string,
  now: Moment,
  record: CommonRecord,
  accessLog: AccessLog<Fields>,
  used: () => Used | undefined,
): MaybePromise<void> {
  return after(blocksIn(domain, now), (blocks) => {
    if (blocks === NO_BLOCKS) return undefined
    const caller = callerIn(accessLog, record as Readonly<Record<string, unknown>>)
    const assertOpen: BlocksOfCall = (part) => {
      const first = decide(blocks, part, caller, now.epochMs)
      if (!first.isRefused) return note(record, first.met, caller)
      return after(blocksNow(domain, now), (fresh) => {
        const { isRefused, met } = decide(fresh, part, caller, now.epochMs)
        note(record, met, caller)
        if (isRefused) throw new Refusal('STATE_CONFLICT', BLOCKED)
      })
    }
    const part = used()
    if (part === undefined) return undefined
    record[BLOCKS_OF_CALL] = assertOpen
    return assertOpen(part)
  })
}

/** Refuses the use of a blocked local key by a call. @throws Refusal STATE_CONFLICT, UNAVAILABLE */
export const assertKeyOpen = ({ name }: { readonly name: string }, record: CommonRecord): MaybePromise<void> =>
  record[BLOCKS_OF_CALL]?.({ key: name })
