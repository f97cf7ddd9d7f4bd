import { setTimeout } from 'node:timers/promises'
import { ROOT_DOMAIN_ID } from '../../base/ids.ts'
import { errorFields, log } from '../../base/log.ts'
import { RecentCache } from '../../base/recent-cache.ts'
import { MINUTE_MS } from '../../base/time.ts'
import { domains } from '../../identity/domains/store.ts'
import { domainKeys } from '../../keyring/domain-key-store.ts'
import { objectsAnswer } from '../../store/objects.ts'
import { sequencedRecords } from '../log/read.ts'
import { logOf } from '../log/store.ts'
import type { ServicesStatus } from './model.ts'

/** Ours: everyone may call this, so an instance checks the parts at most once in this time. */
const KNOWN_MS = 5_000
/** A part that takes longer is down. */
const ANSWER_MS = 5_000
/** Ours: the bus is down when a record of the root domain has waited this long for it. */
const BUS_LAG_MS = 10 * MINUTE_MS

async function openRootKey(): Promise<void> {
  const stored = await domainKeys.find(ROOT_DOMAIN_ID, 'state', 'current')
  const { openDomainKey } = await import('../../keyring/root-key.ts')
  if (stored) await openDomainKey(ROOT_DOMAIN_ID, stored.item.id, stored.item.sealed)
}

/** Checked by waiting records: a test event for each call, which anyone can make, would flood the bus. */
async function assertPublished(now: Date): Promise<void> {
  const stored = await logOf(ROOT_DOMAIN_ID)
  if (stored === undefined || stored.item.bus >= stored.item.size) return
  const { records } = await sequencedRecords(ROOT_DOMAIN_ID, stored.item.bus, 1)
  const waiting = records[0]?.record
  if (waiting && Date.parse(waiting.createdAt) < now.getTime() - BUS_LAG_MS)
    throw new Error(`The record ${waiting.id} was not published for ${BUS_LAG_MS / MINUTE_MS} minutes`)
}

/** The parts on which the service depends. */
const PARTS: readonly { readonly name: string; readonly prove: (now: Date) => Promise<unknown> }[] = [
  { name: 'table', prove: () => domains.get(ROOT_DOMAIN_ID, ROOT_DOMAIN_ID) },
  { name: 'root-key', prove: openRootKey },
  { name: 'bus', prove: assertPublished },
  { name: 'objects', prove: () => objectsAnswer(ANSWER_MS) },
]

async function isUp(name: string, proof: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  const late = setTimeout(ANSWER_MS, undefined, { signal: over.signal }).then(() => {
    throw new Error('no answer in time')
  })
  late.catch(() => undefined) // also when it is aborted
  try {
    await Promise.race([proof, late])
    return true
  } catch (error) {
    log('error', 'a part of the service is down', { part: name, ...errorFields(error) })
    return false
  } finally {
    over.abort()
  }
}

const known = new RecentCache<ServicesStatus>(1, KNOWN_MS)

/** The state of each part, at most five seconds old. Only the log contains the reason of a failure. */
export const servicesStatus = (now: Date): Promise<ServicesStatus> =>
  known.get('', now, async () => {
    const services = await Promise.all(
      PARTS.map(async ({ name, prove }) => {
        const up = await isUp(name, prove(now))
        return { name, status: up ? 'up' : 'down' } as const
      }),
    )
    return { status: services.every(({ status }) => status === 'up') ? 'up' : 'down', services }
  })
