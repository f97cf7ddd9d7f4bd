import { hash } from 'node:crypto'
import { Refusal } from '../../../base/errors.ts'
import type { Journal } from '../../../base/journal.ts'
import { MADE } from '../../../cloud/contract.ts'
import type { KeyMaterial } from '../../../crypto/key-material.ts'
import { wrap, WRAPPINGS } from '../../../crypto/wrap.ts'
import type { WrapHash } from '../param.ts'
import { ask } from './client.ts'
import { withinLimits } from './limits.ts'
import { everySecret, getSecret } from './secrets.ts'
import type { Crm, CrmPlace, CrmSecretRead, CrmSecretSpec } from './types.ts'
import { Created, marked } from './wire.ts'
import { assertWraps, certificateNamed, wrappingKey } from './wrapping-certificate.ts'

const PADDINGS: Readonly<Record<WrapHash, (typeof WRAPPINGS)['oaep' | 'oaep512']>> = {
  SHA512: WRAPPINGS.oaep512,
  SHA1: WRAPPINGS.oaep,
}

const SECRETS = 'sobjects/TenantSecret'
const posted = async (place: CrmPlace, body: object): Promise<string> =>
  (await ask(place, 'POST', SECRETS, Created, body)).id

/** Creates a secret once: a repeated run finds the secret of the first by the mark in its description. */
async function made(
  place: CrmPlace,
  { type, description }: CrmSecretSpec,
  journal: Journal,
  material: () => Promise<object>,
): Promise<CrmSecretRead> {
  const ref = await journal.step(
    MADE,
    () =>
      withinLimits(place, type, async () =>
        posted(place, { Type: type, Description: marked(description, journal.id), ...(await material()) }),
      ),
    async () => (await everySecret(place)).find(({ mark }) => mark === journal.id)?.ref,
  )
  return getSecret(place, ref)
}

export const create: Crm['create'] = (place, spec, journal) => made(place, spec, journal, () => Promise.resolve({}))

/** Fields of a body with material, wrapped with a certificate's key. */
async function wrapped(
  place: CrmPlace,
  { key_derivation_mode, certificate: name }: NonNullable<CrmSecretSpec['upload']>,
  { bytes }: KeyMaterial,
): Promise<object> {
  const certificate = await certificateNamed(place, name)
  assertWraps(certificate, { isRemote: false, now: place.now })
  const key = await wrappingKey(place, certificate)
  return {
    Source: 'UPLOADED',
    KeyDerivationMode: key_derivation_mode,
    SecretValueCertificate: name,
    SecretValue: wrap(PADDINGS[place.connection.wrap_hash], key, bytes).toString('base64'),
    SecretValueHash: bytes.use((clear) => hash('sha256', clear, 'base64')),
  }
}

/** @throws Refusal RULE_BROKEN for a certificate that cannot wrap it */
export const upload: Crm['upload'] = async (place, spec, material, journal) => {
  const { upload: how } = spec
  if (how === undefined) throw new Refusal('RULE_BROKEN', 'Uploaded material needs a certificate.')
  return made(place, spec, journal, () => wrapped(place, how, material))
}

export const certificateKey: Crm['certificateKey'] = async (place, name) => {
  const certificate = await certificateNamed(place, name)
  assertWraps(certificate, { isRemote: true, now: place.now })
  return (await wrappingKey(place, certificate)).export({ type: 'spki', format: 'der' })
}

/** Not safe to repeat: `registered` finds the secret of an earlier run by its kid, which is unique. */
export const register: Crm['register'] = async (place, spec) => {
  const body = {
    Type: spec.type,
    Description: spec.description,
    Source: 'REMOTE',
    KeyDerivationMode: 'NONE',
    RemoteKeyIdentifier: spec.kid,
    RemoteKeyServiceId: spec.named_credential_id,
    RemoteKeyCertificate: spec.certificate,
  }
  return withinLimits(place, spec.type, () => posted(place, body))
}
