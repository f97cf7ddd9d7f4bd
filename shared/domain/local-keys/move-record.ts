import { auditRecord } from '../../audit/record.ts'
import { auditRecords } from '../../store/audit-record.ts'
import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { localKeys, type StoredLocalKey } from '../../store/local-key.ts'
import { moved } from './key-state.ts'
import { auditView } from './new-record.ts'

/** Writes down the state that time has brought a key to. Nobody called: the record names the service itself. */
export async function moveRecord(domain: string, stored: Stored<StoredLocalKey>, now: Date): Promise<void> {
  const after = moved(stored.item, now)
  const changes = new Changes()
  changes.update(localKeys, domain, stored, after)
  const record = auditRecord(domain, now, {
    severity: 'info',
    service: 'vault',
    message: 'Move Key State',
    username: '',
    clientIP: '',
    success: true,
    details: {
      action: 'move-key-state',
      resource_uri: after.uri,
      resource_name: after.name,
      before: auditView(stored.item),
      after: auditView(after),
    },
    principal: { sub: 'keymgr', groups: [] },
  })
  changes.create(auditRecords, domain, record)
  await changes.commit(now)
}
