import { KEY_SIZES, makeCertificate } from '../certificates/certificates.ts'
import { flagOf, labelOf, uniqueNameOf } from './component.ts'
import { MetadataError } from './metadata-error.ts'
import type { MetadataCall } from './metadata-call.ts'
import { textOf, type Element } from './xml.ts'

/** Creates a self-signed certificate. Absent fields are as the platform sets them: 2048 bits, exportable. */
export function createCertificate({ state, organization, user }: MetadataCall, component: Element): void {
  requirePermission(user)
  const keySize = Number(textOf(component, 'keySize') ?? 2048)
  if (!KEY_SIZES.includes(keySize))
    throw new MetadataError('FIELD_INTEGRITY_EXCEPTION', 'keySize must be 2048 or 4096.')
  makeCertificate(state, organization.id, {
    developerName: uniqueNameOf(component, state.certificates(organization.id)),
    masterLabel: labelOf(component, 'masterLabel'),
    keySize,
    isCaSigned: flagOf(component, 'caSigned') ?? false,
    isEncryptedWithPlatform: flagOf(component, 'encryptedWithPlatformEncryption') ?? false,
    isExportable: flagOf(component, 'privateKeyExportable') ?? true,
    isUnusable: flagOf(component, 'caSigned') ?? false,
  })
}

export function deleteCertificate({ state, organization, user }: MetadataCall, fullName: string): void {
  requirePermission(user)
  const found = state.certificates(organization.id).find(({ developerName }) => developerName === fullName)
  if (found === undefined)
    throw new MetadataError('INVALID_CROSS_REFERENCE_KEY', `no Certificate named ${fullName} found`)
  const isUsed = state
    .secrets(organization.id)
    .some(({ remote, status }) => remote?.certificate === fullName && status !== 'DESTROYED')
  if (isUsed) throw new MetadataError('DEPENDENCY_EXISTS', 'The certificate wraps a cache-only key.')
  state.remove('certificate', found.id)
}

function requirePermission({ permissions }: MetadataCall['user']): void {
  if (!permissions.includes('ManageCertificates'))
    throw new MetadataError('INSUFFICIENT_ACCESS', 'The user may not manage certificates.')
}
