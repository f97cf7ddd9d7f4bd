import { record } from '../events/events.ts'
import { eraseItem, timeText } from '../query/table.ts'
import type { HeldSecret } from '../state/held.ts'
import type { Call } from '../wire/call.ts'
import { exportOf } from './exports.ts'
import { RULES } from './rules.ts'

/** The value of a secret that can be exported; reading it is an event. */
function secretValue(secret: HeldSecret, call: Call): string | null {
  const { material } = secret
  if (material === undefined || secret.source === 'REMOTE' || !RULES[secret.type].isManaged) return null
  record(call, secret, 'TS Exported')
  return exportOf(call.organization, secret.id, material)
}

export const secretTable = eraseItem<HeldSecret>({
  name: 'TenantSecret',
  apis: ['data'],
  needs: 'ManageEncryptionKeys',
  items: ({ state, organization }) => state.secrets(organization.id),
  fields: {
    Id: ({ id }) => id,
    Description: ({ description }) => description,
    Type: ({ type }) => type,
    Status: ({ status }) => status,
    Version: ({ number }) => number,
    Source: ({ source }) => source,
    KeyDerivationMode: ({ mode }) => mode,
    SecretValue: secretValue,
    SecretValueHash: ({ hash = null }) => hash,
    SecretValueCertificate: () => null,
    RemoteKeyIdentifier: ({ remote }) => remote?.keyId ?? null,
    RemoteKeyServiceId: ({ remote }) => remote?.credentialId ?? null,
    RemoteKeyCertificate: ({ remote }) => remote?.certificate ?? null,
    CreatedById: ({ createdBy }) => createdBy,
    CreatedDate: ({ createdAt }) => timeText(createdAt),
    LastModifiedById: ({ changedBy }) => changedBy,
    LastModifiedDate: ({ changedAt }) => timeText(changedAt),
    SystemModstamp: ({ changedAt }) => timeText(changedAt),
    IsDeleted: () => false,
  },
  since: {
    RemoteKeyIdentifier: 45,
    RemoteKeyServiceId: 45,
    RemoteKeyCertificate: 45,
    KeyDerivationMode: 43,
    Source: 44,
  },
})
