import { usableCertificate } from '../certificates/usable.ts'
import { FetchFault } from '../remote/fetch-fault.ts'
import { fullId } from '../state/ids.ts'
import type { HeldSource, SecretType } from '../state/held.ts'
import type { Call } from '../wire/call.ts'
import { ApiError, broken } from '../wire/errors.ts'
import { choiceIn, forbid, required, type Given } from './fields.ts'
import { MODES, RULES, type Origin } from './rules.ts'

const KEY_ID = /^[A-Za-z0-9._-]{1,255}$/

/** A cache-only key: it is fetched while the request is open. @throws ApiError */
export async function registered(call: Call, type: SecretType, given: Given): Promise<Origin> {
  requireCacheOnly(call, type)
  forbid(given, 'SecretValue', 'SecretValueHash', 'SecretValueCertificate')
  const mode = choiceIn(given, 'KeyDerivationMode', MODES) ?? 'NONE'
  if (mode !== 'NONE') throw broken('Cache-only keys are never derived.', 'KeyDerivationMode')
  const keyId = required(given, 'RemoteKeyIdentifier')
  if (!KEY_ID.test(keyId))
    throw broken('The key identifier has characters that are not allowed.', 'RemoteKeyIdentifier')
  const isKnown = call.state.secrets(call.organization.id).some(({ remote }) => remote?.keyId === keyId)
  if (isKnown) throw new ApiError('DUPLICATE_VALUE', 'The key identifier is not unique.', ['RemoteKeyIdentifier'])
  const remote = sourceIn(call, given, { keyId })
  return { mode, remote, material: await fetched(call, remote), fetchedAt: call.state.now() }
}

/** Where a key is fetched, after a request. @throws ApiError */
export function sourceIn(
  call: Call,
  given: Given,
  before: Partial<HeldSource> & Pick<HeldSource, 'keyId'>,
): HeldSource {
  const wanted: Given = {
    RemoteKeyServiceId: given.RemoteKeyServiceId ?? before.credentialId ?? '',
    RemoteKeyCertificate: given.RemoteKeyCertificate ?? before.certificate ?? '',
  }
  const credentialId = fullId(required(wanted, 'RemoteKeyServiceId'))
  if (!call.state.credentials(call.organization.id).some(({ id }) => id === credentialId))
    throw new ApiError('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['RemoteKeyServiceId'])
  const certificate = usableCertificate(call, required(wanted, 'RemoteKeyCertificate'), 'RemoteKeyCertificate')
  if (!certificate.isEncryptedWithPlatform || certificate.isExportable)
    throw broken('The certificate must use platform encryption, without an exportable key.', 'RemoteKeyCertificate')
  return { keyId: before.keyId, credentialId, certificate: certificate.developerName }
}

/** @throws ApiError FIELD_INTEGRITY_EXCEPTION with the platform's name of the problem */
export async function fetched({ fetches, organization }: Call, source: HeldSource): Promise<Buffer> {
  try {
    return await fetches.keyOf(organization, source)
  } catch (error) {
    if (error instanceof FetchFault) throw broken(error.message)
    throw error
  }
}

/** @throws ApiError unless the organization and the type can have cache-only keys */
function requireCacheOnly({ organization, state }: Call, type: SecretType): void {
  if (!organization.settings.enableCacheOnlyKeys)
    throw broken('Cache-only keys (enableCacheOnlyKeys) are not enabled.', 'Source')
  if (!RULES[type].allowsRemote(organization)) throw broken(`There are no cache-only keys of the type ${type}.`, 'Type')
  const secrets = state.secrets(organization.id)
  const isFirst = secrets.every(({ source }) => source !== 'REMOTE')
  const hasData = secrets.some((each) => each.type === 'Data' && each.status === 'ACTIVE')
  if (isFirst && !hasData) throw broken('An active tenant secret of the type Data is required first.', 'Source')
}
