import { auditRecord, OWN_WORK } from '../../../http/audit/record.ts'
import { auditRecords } from '../../../http/audit/store.ts'
import { Changes } from '../../../store/changes.ts'
import type { Stored } from '../../../store/entity.ts'
import { localKeys, type StoredLocalKey } from '../store.ts'
import { publicHalf } from '../lists/find-key.ts'
import { auditView } from '../record/new-record.ts'
import { isDestroyed, keyAsOf, withoutMaterial } from './key-state.ts'

/**
 * Stores the state that a key's dates determine. A destroyed private key also destroys its public half, unless that
 * half is flagged undeletable.
 */
export async function moveRecord(domain: string, stored: Stored<StoredLocalKey>, now: Date): Promise<void> {
  const after = keyAsOf(stored.item, now)
  const changes = new Changes()
  move(changes, domain, stored, after, now)
  const half = isDestroyed(after.state) ? await publicHalf(domain, after) : undefined
  if (half && !half.item.undeletable && !isDestroyed(half.item.state))
    move(changes, domain, half, withoutMaterial(half.item, after.state, after.updatedAt), now)
  await changes.commit(now)
}

/** The service itself is the actor of the audit record. */
function move(
  changes: Changes,
  domain: string,
  before: Stored<StoredLocalKey>,
  after: StoredLocalKey,
  now: Date,
): void {
  changes.update(localKeys, domain, before, after)
  const record = auditRecord(domain, now, {
    severity: 'info',
    service: 'vault',
    message: 'Move Key State',
    success: true,
    details: {
      action: 'move-key-state',
      resource_uri: after.uri,
      resource_name: after.name,
      before: auditView(before.item),
      after: auditView(after),
    },
    ...OWN_WORK,
  })
  changes.create(auditRecords, domain, record)
}
