import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import type { Reply } from '../wire/arrived.ts'
import { attributesIn, tagsIn } from '../vaults/attributes.ts'
import { objectAt, textAt, type Body } from '../wire/body.ts'
import { describePolicy, PEM, PKCS12, policyChanged, policyIn, type Policy } from './rules.ts'
import {
  addFinished,
  describeCertificate,
  describeItem,
  leafOf,
  partsOf,
  policyOf,
  shownVersions,
  specOf,
} from './versions.ts'
import { badParameter } from '../wire/errors.ts'
import { live, versionIn } from '../vaults/found.ts'
import { latest, type HeldCertificate } from '../vaults/held.ts'
import { KINDS } from '../keys/key-specs.ts'
import { listLive, listVersions } from '../vaults/lists.ts'
import { newId } from '../state/passing-time.ts'
import { openPfx, type Opened } from './pfx.ts'
import { identifier, ok, routesOf, type VaultCall, type VaultRoute } from '../vaults/vault-call.ts'
import { deletionRoutes } from '../vaults/deletion.ts'

const PEM_PART = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Key and certificates in PEM, as given. @throws ApiError BadParameter */
function openPem(text: string): Opened {
  try {
    const key: KeyObject = createPrivateKey(text)
    return { key, certificates: (text.match(PEM_PART) ?? []).map((part) => new X509Certificate(part).raw) }
  } catch {
    throw badParameter('The specified PEM X.509 certificate content can not be read.')
  }
}

/** Content of an import: a PKCS #12 file in base64, or PEM. */
function openedIn(body: Body, contentType: string | undefined): Opened & { readonly contentType: string } {
  const value = textAt(body, 'value')
  if (value === undefined) throw badParameter("Property 'value' is required.")
  if (contentType === PEM || value.includes('-----BEGIN ')) return { ...openPem(value), contentType: PEM }
  return { ...openPfx(Buffer.from(value, 'base64'), textAt(body, 'pwd') ?? ''), contentType: PKCS12 }
}

function importCertificate(call: VaultCall): Reply {
  const { body, vault } = call
  partsOf(call)
  const given = objectAt(body, 'policy') ?? {}
  const wanted = policyIn(vault, given)
  const { key, certificates, contentType } = openedIn(
    body,
    textAt(objectAt(given, 'secret_props') ?? {}, 'contentType'),
  )
  const { cer, chain } = leafOf(key, certificates)
  const spec = specOf(key, KINDS[wanted.spec.kty].hsm)
  if (objectAt(given, 'key_props')?.kty !== undefined && wanted.spec.kty !== spec.kty)
    throw badParameter('The type of the key is not that of the policy.')
  const { subject, subjectAltName = '' } = new X509Certificate(cer)
  const content = {
    ...wanted.content,
    subject: subject.split('\n').reverse().join(', '),
    dnsNames: [...subjectAltName.matchAll(/DNS:([^,]+)/g)].map(([, name = '']) => name),
  }
  const policy: Policy = { ...wanted, spec, contentType, content }
  const version = addFinished(call, body, { id: newId(), key, cer, chain, policy })
  return ok(describeCertificate(call, partsOf(call).certificate, version))
}

function get(call: VaultCall): Reply {
  const certificate = live(call, 'certificates', call.name)
  const versions = [...shownVersions(certificate)]
  return ok(
    describeCertificate(call, certificate, versionIn('certificates', { ...certificate, versions }, call.version)),
  )
}

function update(call: VaultCall): Reply {
  const { state, body, vault } = call
  const certificate = live(call, 'certificates', call.name)
  const version = versionIn('certificates', certificate, call.version)
  const policy = objectAt(body, 'policy')
  if (policy !== undefined) certificate.policy = { ...policyChanged(vault, policyOf(certificate), policy) }
  const { enabled } = attributesIn(body, version)
  const change = { enabled, tags: tagsIn(body) ?? version.tags, updatedAt: state.now() }
  Object.assign(version, change)
  const { key, secret } = partsOf(call)
  for (const part of [...key.versions, ...secret.versions]) if (part.id === version.id) Object.assign(part, change)
  state.save('certificates', [certificate])
  state.save('keys', [key])
  state.save('secrets', [secret])
  return ok(describeCertificate(call, certificate, version))
}

const described = (call: VaultCall, certificate: HeldCertificate): Reply =>
  ok(describePolicy(`${identifier(call.vault, 'certificates', certificate.name)}/policy`, policyOf(certificate)))

const getPolicy = (call: VaultCall): Reply => described(call, live(call, 'certificates', call.name))

function setPolicy(call: VaultCall): Reply {
  const certificate = live(call, 'certificates', call.name)
  certificate.policy = { ...policyChanged(call.vault, policyOf(certificate), call.body) }
  call.state.save('certificates', [certificate])
  return described(call, certificate)
}

const item = (call: VaultCall, certificate: HeldCertificate): object => {
  const [version = latest(certificate)] = shownVersions(certificate).slice(-1)
  return describeItem(call, certificate, version)
}

/** A list omits names that have only a pending version, unless the request includes them. */
const isListed =
  ({ query }: VaultCall) =>
  (certificate: HeldCertificate): boolean =>
    certificate.versions.length > 0 || query.get('includePending') === 'true'

const { get: GET, post: POST, patch: PATCH } = routesOf(true)
const ONE = '/certificates/{name}'

export const certificateRoutes: readonly VaultRoute[] = [
  ...deletionRoutes('certificates', {
    bundle: (call, certificate) => describeCertificate(call, certificate, latest(certificate)),
    item,
  }),
  GET('CertificateList', '/certificates', 'certificates/list', (call) =>
    listLive(call, 'certificates', (certificate) => item(call, certificate), isListed(call)),
  ),
  GET('CertificateListVersions', `${ONE}/versions`, 'certificates/list', (call) =>
    listVersions(
      call,
      'certificates',
      (certificate, version) => describeItem(call, certificate, version, version.id),
      shownVersions,
    ),
  ),
  GET('CertificatePolicyGet', `${ONE}/policy`, 'certificates/get', getPolicy),
  PATCH('CertificatePolicySet', `${ONE}/policy`, 'certificates/update', setPolicy),
  POST('CertificateImport', `${ONE}/import`, 'certificates/import', importCertificate),
  GET('CertificateGet', ONE, 'certificates/get', get),
  GET('CertificateGet', `${ONE}/{version}`, 'certificates/get', get),
  PATCH('CertificateUpdate', ONE, 'certificates/update', update),
  PATCH('CertificateUpdate', `${ONE}/{version}`, 'certificates/update', update),
]
