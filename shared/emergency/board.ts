/**
 * The entries of a board of blocks, and the only function that decides whether they block a call. Data planes import
 * this module, so it contains no schema and no table.
 */
export const BLOCKED_KINDS = ['key', 'endpoint', 'container', 'cloud', 'domain'] as const
export type BlockedKind = (typeof BLOCKED_KINDS)[number]

/** Blocks of the whole deployment: only administrators of the root domain make and see them. */
export const WIDE_KINDS: readonly BlockedKind[] = ['cloud', 'domain']

/** A block that has not been opened, as decisions read it. */
export interface BoardEntry {
  readonly id: string
  readonly kind: BlockedKind
  /** name of a local key, id of an endpoint or a container, name of a cloud or protocol, id of a domain */
  readonly target: string
  /** RFC 3339; the block opens by itself then */
  readonly until: string
  /** of a drill: the callers that it refuses, as a block would */
  readonly callers?: readonly string[] | undefined
}

/** The stored blocks of a domain or of the deployment. */
export interface Board {
  readonly id: string
  readonly entries: readonly BoardEntry[]
}

/** Name of the entity, and the ids of the two boards that concern a domain. The root domain has the second. */
export const BOARD = 'emergency-board'
export const OWN_BOARD = 'own'
export const WIDE_BOARD = 'wide'

/** The blocks that may concern a domain's calls. */
export type Blocks = readonly Block[]

interface Block extends BoardEntry {
  readonly untilMs: number
}

/** No block: the usual case, recognized by identity. */
export const NO_BLOCKS: Blocks = []

/** The blocks of a domain, from its own board and that of the deployment. */
export function blocksOf(domain: string, own: Board | undefined, wide: Board | undefined): Blocks {
  const concerning = (wide?.entries ?? []).filter(({ kind, target }) => kind !== 'domain' || target === domain)
  const all = [...(own?.entries ?? []), ...concerning]
  return all.length === 0 ? NO_BLOCKS : all.map((entry) => ({ ...entry, untilMs: Date.parse(entry.until) }))
}

/** The key, records and clouds that a call is about to use. */
export interface Used {
  /** name of the local key */
  readonly key?: string
  /** ids of the endpoint and of what contains it */
  readonly ids?: readonly (string | undefined)[]
  /** names of the cloud and the protocol */
  readonly clouds?: readonly string[]
}

export interface Decision {
  readonly isRefused: boolean
  /** ids of the blocks and drills that name the call */
  readonly met: readonly string[]
}

const OPEN: Decision = { isRefused: false, met: [] }

/** Whether an entry names a part of a call. An entry for a domain names every part. */
function meets({ kind, target }: BoardEntry, { key, ids, clouds }: Used): boolean {
  if (kind === 'domain') return true // `blocksOf` leaves out other domains
  if (kind === 'key') return key === target
  return kind === 'cloud' ? clouds?.includes(target) === true : ids?.includes(target) === true
}

/**
 * The one decision about emergency blocks. A block refuses every caller, a drill only those that it names.
 * @param caller as audit records name it; `undefined` if it is unknown
 */
export function decide(blocks: Blocks, used: Used, caller: string | undefined, nowMs: number): Decision {
  const met = blocks.filter((block) => nowMs < block.untilMs && meets(block, used))
  if (met.length === 0) return OPEN
  return {
    isRefused: met.some(({ callers }) => callers === undefined || (caller !== undefined && callers.includes(caller))),
    met: met.map(({ id }) => id),
  }
}

/** The sentence of a refusal; protocols send their own. */
export const BLOCKED = 'An administrator has blocked it in an emergency.'
