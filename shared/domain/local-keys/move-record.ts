import { accountOf, resourceUri, uuid } from '../../ids.ts'
import type { AuditRecord } from '../../model/audit-record.ts'
import { auditRecords } from '../../store/audit-record.ts'
import { Changes } from '../../store/changes.ts'
import type { Stored } from '../../store/entity.ts'
import { localKeys, type StoredLocalKey } from '../../store/local-key.ts'
import { moved } from './key-state.ts'
import { auditView } from './new-record.ts'

/** Writes down the state that time has brought a key to, and says so in an audit record. */
export async function moveRecord(domain: string, stored: Stored<StoredLocalKey>, now: Date): Promise<void> {
  const after = moved(stored.item, now)
  const changes = new Changes()
  changes.update(localKeys, domain, stored, after)
  changes.create(auditRecords, domain, auditRecord(domain, stored.item, after, now))
  await changes.commit(now)
}

/** Nobody called: the service itself acts, on the key's own dates. */
function auditRecord(domain: string, before: StoredLocalKey, after: StoredLocalKey, now: Date): AuditRecord {
  const id = uuid(now)
  return {
    id,
    uri: resourceUri(domain, 'audit', 'records', id),
    account: accountOf(domain),
    createdAt: now.toISOString(),
    severity: 'info',
    service: 'vault',
    source: 'dsp',
    message: 'Move Key State',
    username: '',
    clientIP: '',
    success: true,
    details: {
      action: 'move-key-state',
      resource_uri: after.uri,
      resource_name: after.name,
      before: auditView(before),
      after: auditView(after),
    },
    requestId: id,
    domain,
    principal: { sub: 'keymgr', groups: [] },
  }
}
