import { eraseItem } from '../query/table.ts'
import { DAY_MS, type HeldCertificate } from '../state/held.ts'
import { fullId, idOf } from '../state/ids.ts'
import type { CrmState } from '../state/state.ts'
import type { Call, Route } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { notFound } from '../wire/errors.ts'
import { pemOf } from './keys.ts'

export const certificateTable = eraseItem<HeldCertificate>({
  name: 'Certificate',
  apis: ['tooling'],
  needs: 'ManageCertificates',
  items: ({ state, organization }) => state.certificates(organization.id),
  fields: {
    Id: ({ id }) => id,
    DeveloperName: ({ developerName }) => developerName,
    MasterLabel: ({ masterLabel }) => masterLabel,
    KeySize: ({ keySize }) => keySize,
    ExpirationDate: ({ expiresAt }) => new Date(expiresAt).toISOString().slice(0, 10),
    OptionsIsCaSigned: ({ isCaSigned }) => isCaSigned,
    OptionsIsEncryptedWithPE: ({ isEncryptedWithPlatform }) => isEncryptedWithPlatform,
    OptionsIsPrivateKeyExportable: ({ isExportable }) => isExportable,
    OptionsIsUnusable: ({ isUnusable }) => isUnusable,
  },
})

/** Options of a new certificate; the defaults are the platform's. */
export interface CertificateWish {
  readonly developerName: string
  readonly masterLabel?: string
  readonly keySize?: number
  readonly isCaSigned?: boolean
  readonly isEncryptedWithPlatform?: boolean
  readonly isExportable?: boolean
  readonly isUnusable?: boolean
  readonly expiresAt?: number
}

/** Life of a self-signed certificate, by size of its key. */
const LIFE_MS: Readonly<Record<number, number>> = { 2048: 365 * DAY_MS, 4096: 730 * DAY_MS }
export const KEY_SIZES = Object.keys(LIFE_MS).map(Number)

export function makeCertificate(state: CrmState, organizationId: string, wish: CertificateWish): HeldCertificate {
  const { developerName, keySize = 2048 } = wish
  const createdAt = state.now()
  const made: HeldCertificate = {
    id: idOf('Certificate', state.nextNumber()),
    organizationId,
    developerName,
    masterLabel: wish.masterLabel ?? developerName,
    keySize,
    createdAt,
    expiresAt: wish.expiresAt ?? createdAt + (LIFE_MS[keySize] ?? 0),
    isCaSigned: wish.isCaSigned ?? false,
    isEncryptedWithPlatform: wish.isEncryptedWithPlatform ?? false,
    isExportable: wish.isExportable ?? true,
    isUnusable: wish.isUnusable ?? false,
  }
  state.save('certificate', [made])
  return made
}

async function readChain({ state, organization, user, param }: Call): Promise<Reply> {
  const id = fullId(param('id'))
  const found = state.certificates(organization.id).find((each) => each.id === id)
  if (found === undefined || !user.permissions.includes('ManageCertificates')) throw notFound()
  return { text: { type: 'application/x-x509-ca-cert', content: await pemOf(state, found) } }
}

export const certificateRoutes: readonly Route[] = [
  {
    ...{ operation: 'GetCertificateChain', method: 'GET', run: readChain },
    path: '/tooling/sobjects/Certificate/{id}/CertificateChain',
  },
]
