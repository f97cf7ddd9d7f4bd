import { Refusal } from '../base/errors.ts'
import { functionName } from '../base/figures.ts'
import { ROOT_DOMAIN_ID, uuid } from '../base/ids.ts'
import { BLOCKED, blocksOf, decide, NO_BLOCKS, OWN_BOARD, WIDE_BOARD } from './board.ts'
import { boards } from './store.ts'

/** The user of a local key, for the decision about its blocks. */
export interface KeyUseBy {
  readonly domain: string
  /** name of the user or client, as audit records name it; `undefined` for work of the service itself */
  readonly caller: string | undefined
  readonly now: Date
  /** recipient of the key, if any */
  readonly recipient?: Recipient | undefined
}

/** Gets the material of a local key. */
export interface Recipient {
  /** its name */
  readonly cloud: string
  /** id of the container of the cloud key */
  readonly container: string
}

/**
 * Refuses a use of a local key by this service or for its callers while an emergency block names the key, its domain,
 * or the cloud or container that would receive it. Ours: read at each use, so that a block takes effect at once.
 * @throws Refusal STATE_CONFLICT
 */
export async function assertKeyOpen(
  { domain, caller, now, recipient }: KeyUseBy,
  { name }: { readonly name: string },
): Promise<void> {
  const [own, wide] = await Promise.all([boards.get(domain, OWN_BOARD), boards.get(ROOT_DOMAIN_ID, WIDE_BOARD)])
  const blocks = blocksOf(domain, own?.item, wide?.item)
  if (blocks === NO_BLOCKS) return
  const used = { key: name, ...(recipient && { clouds: [recipient.cloud], ids: [recipient.container] }) }
  const { isRefused, met } = decide(blocks, used, caller, now.getTime())
  if (met.length > 0) {
    const { countHits } = await import('./hits.ts')
    const use = { domain, caller: caller ?? '', function: functionName(), calls: 1, at: now, delivery: uuid(now) }
    for (const block of met) await countHits({ ...use, block })
  }
  if (isRefused) throw new Refusal('STATE_CONFLICT', `The key ${name} cannot be used. ${BLOCKED}`)
}
