import { X509Certificate } from 'node:crypto'
import { pkcs8Of, privateKeyOf } from '../../toolkit/key-pairs.ts'
import type { Reply } from '../wire/arrived.ts'
import { attributesIn, tagsIn } from '../vaults/attributes.ts'
import { flagAt, objectAt, textsAt } from '../wire/body.ts'
import { policyIn, requireSubject, type Policy } from './rules.ts'
import { addFinished, contentOf, describeCertificate, leafOf, ownCertificate, partsOf, policyOf } from './versions.ts'
import { badParameter, conflict, refusal } from '../wire/errors.ts'
import { live } from '../vaults/found.ts'
import { latest, type HeldCertificate, type PendingCertificate } from '../vaults/held.ts'
import { generateMaterial } from '../keys/key-specs.ts'
import { newId } from '../state/passing-time.ts'
import { identifier, ok, routesOf, type VaultCall, type VaultRoute } from '../vaults/vault-call.ts'
import { certificateRequest } from './x509.ts'

const SELF = 'Self'
/** Another authority issues the certificate, and a merge adds it. */
const UNKNOWN = 'Unknown'

function describe({ vault }: VaultCall, { name }: HeldCertificate, pending: PendingCertificate): object {
  const id = identifier(vault, 'certificates', name)
  const isOver = pending.status === 'completed'
  return {
    id: `${id}/pending`,
    issuer: { name: pending.issuer },
    csr: pending.csr.toString('base64'),
    cancellation_requested: pending.status === 'cancelled',
    status: pending.status,
    ...(isOver && { target: id }),
    ...(pending.status === 'inProgress' && {
      status_details: 'Pending certificate created. Certificate request is in progress.',
    }),
    ...(pending.status === 'cancelled' && {
      error: { code: 'CertificateOperationCancelled', message: 'The certificate operation was cancelled.' },
    }),
    request_id: pending.requestId,
  }
}

/** @throws ApiError Conflict */
function requireNothingPending({ name, pending }: HeldCertificate): void {
  if (pending?.status === 'inProgress') throw conflict(`There is already a pending certificate operation for ${name}.`)
}

/** The policy in the request, or else that of the certificate. @throws ApiError BadParameter */
function wantedPolicy(call: VaultCall): Policy {
  const { vault, body } = call
  const { certificate } = partsOf(call)
  requireNothingPending(certificate)
  const given = objectAt(body, 'policy')
  if (given === undefined && certificate.versions.length === 0) throw badParameter("Property 'policy' is required.")
  const policy = given === undefined ? policyOf(certificate) : policyIn(vault, given)
  requireSubject(policy)
  if (![SELF, UNKNOWN].includes(policy.issuer))
    throw badParameter(`The certificate issuer '${policy.issuer}' is not known.`)
  return policy
}

/** Creates a key pair and a request. A self-signed certificate is issued at once, others wait for a merge. */
async function create(call: VaultCall): Promise<Reply> {
  const { state, body } = call
  const policy = wantedPolicy(call)
  const last = partsOf(call).key.versions.at(-1)
  const bytes = policy.reuseKey && last?.bytes !== undefined ? last.bytes : await generateMaterial(policy.spec)
  const key = privateKeyOf(bytes)
  const { certificate } = partsOf(call) // again, because of concurrent calls
  requireNothingPending(certificate)
  attributesIn(body)
  const pending: PendingCertificate = {
    version: newId(),
    createdAt: state.now(),
    csr: certificateRequest(contentOf(policy, call.name), key),
    bytes: pkcs8Of(key),
    requestId: newId(),
    attributes: objectAt(body, 'attributes') ?? {},
    tags: tagsIn(body) ?? {},
    issuer: policy.issuer,
    status: 'inProgress',
  }
  const reply = { status: 202, body: describe(call, certificate, pending) }
  certificate.policy = { ...policy }
  certificate.pending = pending
  state.save('certificates', [certificate])
  if (policy.issuer === SELF) finish(call, pending, [ownCertificate(policy, call.name, key, state.now())])
  return reply
}

/** @throws ApiError BadParameter unless one of the certificates has the pending key */
function finish(call: VaultCall, pending: PendingCertificate, certificates: readonly Buffer[]) {
  const { attributes, tags, version: id, bytes } = pending
  const key = privateKeyOf(bytes)
  const { certificate } = partsOf(call)
  const policy = policyOf(certificate)
  const finished = addFinished(call, { attributes, tags }, { id, key, ...leafOf(key, certificates), policy })
  pending.status = 'completed'
  call.state.save('certificates', [certificate])
  return finished
}

/** @throws ApiError PendingCertificateNotFound */
function pendingOf(call: VaultCall): { readonly certificate: HeldCertificate; readonly pending: PendingCertificate } {
  const certificate = live(call, 'certificates', call.name)
  const { pending } = certificate
  if (pending === undefined)
    throw refusal(404, 'PendingCertificateNotFound', `Pending certificate not found: ${call.name}`)
  return { certificate, pending }
}

function get(call: VaultCall): Reply {
  const { certificate, pending } = pendingOf(call)
  return ok(describe(call, certificate, pending))
}

function cancel(call: VaultCall): Reply {
  const { certificate, pending } = pendingOf(call)
  if (flagAt(call.body, 'cancellation_requested') !== true)
    throw badParameter("Property 'cancellation_requested' must be true.")
  if (pending.status === 'completed') throw conflict('The certificate operation is completed.')
  pending.status = 'cancelled'
  call.state.save('certificates', [certificate])
  return ok(describe(call, certificate, pending))
}

function remove(call: VaultCall): Reply {
  const { certificate, pending } = pendingOf(call)
  certificate.pending = undefined
  if (certificate.versions.length === 0) call.state.forget('certificates', call.vault.name, certificate.name)
  else call.state.save('certificates', [certificate])
  return ok(describe(call, certificate, pending))
}

function merge(call: VaultCall): Reply {
  const { certificate, pending } = pendingOf(call)
  if (pending.status !== 'inProgress') throw conflict('The certificate operation is not in progress.')
  const certificates = (textsAt(call.body, 'x5c') ?? []).map((text) => Buffer.from(text, 'base64'))
  const isCertificate = (cer: Buffer): boolean => {
    try {
      return new X509Certificate(cer).serialNumber !== ''
    } catch {
      return false
    }
  }
  if (certificates.length === 0 || !certificates.every(isCertificate))
    throw badParameter("Property 'x5c' must be a list of X.509 certificates.")
  finish(call, pending, certificates)
  return { status: 201, body: describeCertificate(call, certificate, latest(certificate)) }
}

const { get: GET, post: POST, patch: PATCH, remove: REMOVE } = routesOf(true)
const PENDING = '/certificates/{name}/pending'

export const pendingRoutes: readonly VaultRoute[] = [
  POST('CertificateCreate', '/certificates/{name}/create', 'certificates/create', create),
  GET('CertificatePendingGet', PENDING, 'certificates/get', get),
  PATCH('CertificatePendingUpdate', PENDING, 'certificates/update', cancel),
  REMOVE('CertificatePendingDelete', PENDING, 'certificates/delete', remove),
  POST('CertificatePendingMerge', `${PENDING}/merge`, 'certificates/create', merge),
]
