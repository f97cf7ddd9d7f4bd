import { domainKeys, type StoredDomainKey } from '../../keyring/domain-key-store.ts'
import { resourceUri } from '../../base/ids.ts'
import { auditRecord, OWN_WORK } from '../../http/audit/record.ts'
import { auditRecords } from '../../http/audit/store.ts'
import { Changes } from '../../store/changes.ts'
import { sealedRows } from '../../keyring/sealed-rows.ts'

/**
 * Re-encrypts the data of a domain's former key, page by page. The key's record contains the progress, so that an
 * interruption costs at most one page. Safe to run twice at once.
 * @param hasTime called after each page: whether there is time for another
 */
export async function resealDomain(domain: string, keyId: string, now: Date, hasTime: () => boolean): Promise<void> {
  for (;;) {
    const stored = await domainKeys.get(domain, keyId)
    if (stored?.item.state !== 'resealing' || stored.item.reseal === undefined) return
    const next = await afterRound(domain, stored.item, stored.item.reseal, now)
    const changes = new Changes()
    changes.update(domainKeys, domain, stored, next)
    if (next.state === 'failed') recordFailure(changes, domain, keyId, now)
    await changes.commit(now)
    if (!hasTime()) return
  }
}

/** Stages the audit record of a rotation that could not re-encrypt everything; its start has a separate record. */
function recordFailure(changes: Changes, domain: string, keyId: string, now: Date): void {
  const record = auditRecord(domain, now, {
    severity: 'error',
    service: 'domains',
    message: 'Finish Domain Key Rotation',
    success: false,
    errorMessage: 'Something could not be sealed again under the present key; the former key stays.',
    details: { action: 'finish-domain-key-rotation', resource_uri: resourceUri(domain, 'admin', 'domain-keys', keyId) },
    ...OWN_WORK,
  })
  changes.create(auditRecords, domain, record)
}

async function afterRound(
  domain: string,
  key: StoredDomainKey,
  reseal: NonNullable<StoredDomainKey['reseal']>,
  now: Date,
): Promise<StoredDomainKey> {
  const rows = sealedRows()
  const place = rows.findIndex(({ name }) => name === reseal.entity)
  const sealPage = await rows[place]?.load()
  if (sealPage === undefined) throw new Error(`There is nothing to seal again named ${reseal.entity}`)
  const round = await sealPage(domain, reseal.after, now)
  const failures = reseal.failures + round.failures
  if (round.after !== undefined) return { ...key, reseal: { ...reseal, failures, after: round.after } }
  const { after: _, ...rest } = reseal
  const following = rows[place + 1]?.name
  if (following !== undefined) return { ...key, reseal: { ...rest, failures, entity: following } }
  const { reseal: __, ...done } = key
  return { ...done, state: failures > 0 ? 'failed' : 'retired' }
}
