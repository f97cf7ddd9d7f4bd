import { atOnce } from '../../../base/at-once.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { errorFields, log } from '../../../base/log.ts'
import type { Sweep } from '../../../base/time.ts'
import { domains } from '../../../identity/domains/store.ts'
import { Stale } from '../../../store/changes.ts'
import { dueItems, type DueItem } from '../../../store/due.ts'
import { idsAfter } from '../../../store/list.ts'
import { redirectedSince } from '../forwarders/redirection.ts'
import { FORWARD } from '../forwarders/store.ts'
import { deliver, type Pair } from './deliver.ts'
import { receiverOf } from './receiver.ts'

/** Number of targets in parallel: a slow one delays others for at most its turn. */
const TURNS_AT_ONCE = 32
const DOMAINS_AT_A_TIME = 1_000

async function childDomains(): Promise<string[]> {
  const found: string[] = []
  for (let after: string | undefined; ; after = found.at(-1)) {
    const page = await idsAfter(domains, ROOT_DOMAIN_ID, 'all', after, DOMAINS_AT_A_TIME)
    found.push(...page)
    if (page.length < DOMAINS_AT_A_TIME) return found.filter((id) => id !== ROOT_DOMAIN_ID)
  }
}

interface Children {
  readonly ids: readonly string[]
  /** time since which their records are sent to the targets of the root domain */
  readonly since: string
}

/** The logs for a due target: that of its domain and, for a target of the root domain, those of the child domains. */
async function pairsOf({ domain, entity, id }: DueItem, children: Children | undefined): Promise<Pair[]> {
  const receiver = await receiverOf(domain, entity, id)
  if (receiver === undefined) return []
  const own = { domain, receiver, source: domain, since: receiver.since }
  if (domain !== ROOT_DOMAIN_ID || children === undefined) return [own]
  const since = Date.parse(children.since) > Date.parse(receiver.since) ? children.since : receiver.since
  return [own, ...children.ids.map((source) => ({ domain, receiver, source, since }))]
}

async function turn(pair: Pair, sweep: Sweep): Promise<number> {
  if (!sweep.hasTime()) return 0
  try {
    return await deliver(pair, sweep)
  } catch (error) {
    const { domain, source, receiver } = pair
    if (!(error instanceof Stale))
      log('error', 'audit records not forwarded', { domain, source, target: receiver.id, ...errorFields(error) })
    return 0
  }
}

/** Sends records to every target, each from its position in the log. @returns the number of delivered records */
export async function forwardLogs(sweep: Sweep): Promise<{ forwarded: number }> {
  const since = await redirectedSince()
  const children = since === undefined ? undefined : { since, ids: await childDomains() }
  let forwarded = 0
  for await (const items of dueItems(FORWARD, sweep)) {
    const pairs = (await atOnce(items, TURNS_AT_ONCE, (item) => pairsOf(item, children))).flat()
    for (const count of await atOnce(pairs, TURNS_AT_ONCE, (pair) => turn(pair, sweep))) forwarded += count
  }
  return { forwarded }
}
