import * as z from 'zod'
import { extended, object } from '../base/lazy-fields.ts'
import { entity } from '../store/entity.ts'
import { removing, type PurgeStep } from '../store/remove-some.ts'
import { BLOCKED_KINDS, BOARD } from './board.ts'
import { EmergencyBlock, EmergencyHit } from './model.ts'

const StoredBlock = extended(EmergencyBlock.omit({ state: true }), () => ({
  /** ids of the confirmers: a name may pass to another user */
  confirmer_ids: z.array(z.string()),
  /** id of the user who asked for an earlier opening */
  opening_by_id: z.string().optional(),
}))
export type StoredBlock = z.infer<typeof StoredBlock>

/** Supported reads: a block or drill by id; all of a domain, newest first. Ours: they stay, as the history of the domain. */
export const emergencyBlocks = entity({
  name: 'emergency-block',
  schema: StoredBlock,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: ({ kind, target, drill, until, opening_at, opened_at, createdAt }) => ({
    ...{ kind, target, drill, until, createdAt },
    ...(opening_at !== undefined && { opening_at }),
    ...(opened_at !== undefined && { opened_at }),
  }),
})

/**
 * Supported read: a board by its id. Ours: one item contains every block in force of a domain, so that a call reads one
 * item.
 */
export const boards = entity({
  name: BOARD,
  schema: object(() => ({
    id: z.string(),
    entries: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(BLOCKED_KINDS),
        target: z.string(),
        until: z.string(),
        callers: z.array(z.string()).optional(),
      }),
    ),
  })),
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
})

const StoredHit = extended(EmergencyHit, () => ({
  block: z.string(),
  createdAt: z.string(),
  /** the latest counted deliveries, so that a repeated one counts once */
  deliveries: z.array(z.string()),
}))
export type StoredHit = z.infer<typeof StoredHit>

export const hitsOf = (block: string): string => `block:${block}`

/** Supported reads: the hits of a block or drill, by caller and function. */
export const emergencyHits = entity({
  name: 'emergency-hit',
  schema: StoredHit,
  id: ({ id }) => id,
  sets: ({ block }) => ['all', hitsOf(block)],
  row: ({ caller, function: of, createdAt }) => ({ caller, function: of, createdAt }),
})

/** Removes the blocks of a deleted domain. */
export const EMERGENCY_PURGE: readonly PurgeStep[] = [
  removing(boards, 'all'),
  removing(emergencyHits, 'all'),
  removing(emergencyBlocks, 'all'),
]
