import { verify, X509Certificate } from 'node:crypto'
import type { Input } from '../../toolkit/aws/input.ts'
import { readAuthorization, requireSigned, stringToSign, type Authorization } from '../../toolkit/aws/sigv4.ts'
import type { HttpRequest } from '../../toolkit/loopback.ts'
import { ServiceError } from '../../toolkit/service-error.ts'
import { uuidOf, type SimulatedAccount } from '../accounts/accounts.ts'
import { requireFresh } from './authentication.ts'
import type { Call } from '../wire/call.ts'
import type { Caller } from './caller.ts'
import { validation } from '../wire/refusals.ts'
import { arnOf } from '../accounts/regions.ts'
import { trustArnsOf } from './trust-anchors.ts'

/** Algorithms by the type of the certificate's key. */
const ALGORITHMS: Readonly<Record<string, string>> = { rsa: 'AWS4-X509-RSA-SHA256', ec: 'AWS4-X509-ECDSA-SHA256' }
const CHAIN_MOST = 5

const denied = (message: string) => new ServiceError('AccessDeniedException', message)

/**
 * Authenticates a request by a certificate: its key signed the request, and the trust anchor that the request names
 * issued it.
 * @returns a caller whose user id is the certificate's serial number in hex
 * @throws ServiceError MissingAuthenticationTokenException, IncompleteSignatureException, InvalidSignatureException,
 *   ValidationException, ResourceNotFoundException, AccessDeniedException
 */
export function authenticateByCertificate(
  { state, accounts }: Pick<Call, 'state' | 'accounts'>,
  request: HttpRequest,
  input: Input,
): Caller {
  const authorization = readAuthorization(request.headers, Object.values(ALGORITHMS))
  const [leaf, ...chain] = certificatesOf(request)
  requireSignature(request, authorization, leaf)
  requireFresh(state, authorization)
  const account = accountNamed(accounts, input, authorization)
  requireTrusted(leaf, chain, new X509Certificate(state.trustOf(account.id).anchor.cert), new Date(state.now()))
  const { region, accessKeyId } = authorization
  const arn = arnOf('rolesanywhere', region, account.id, `subject/${uuidOf(leaf.subject)}`)
  return { account, arn, principalArn: arn, userId: leaf.serialNumber.toLowerCase(), accessKeyId, region }
}

function certificatesOf({ headers }: HttpRequest): [X509Certificate, ...X509Certificate[]] {
  const read = (text: string): X509Certificate => {
    try {
      return new X509Certificate(Buffer.from(text, 'base64'))
    } catch {
      throw validation('The certificate is not DER in base64.')
    }
  }
  const chain = headers['x-amz-x509-chain']
  const others = chain === undefined ? [] : String(chain).split(',')
  if (others.length > CHAIN_MOST) throw validation(`A chain has at most ${CHAIN_MOST} certificates.`)
  return [read(String(headers['x-amz-x509'] ?? '')), ...others.map(read)]
}

function requireSignature(
  request: HttpRequest,
  authorization: Authorization,
  { publicKey, serialNumber }: X509Certificate,
) {
  requireSigned(request, authorization)
  const { algorithm, accessKeyId, service, signature } = authorization
  const isOwn = ALGORITHMS[publicKey.asymmetricKeyType ?? ''] === algorithm && service === 'rolesanywhere'
  const isNamed = accessKeyId === BigInt(`0x${serialNumber}`).toString()
  const text = Buffer.from(stringToSign(request, authorization))
  if (isOwn && isNamed && verify('sha256', text, publicKey, Buffer.from(signature, 'hex'))) return
  throw new ServiceError('InvalidSignatureException', 'The request signature we calculated does not match.', 403)
}

/** The account of the trust anchor that the request names, in the region of the signature. */
function accountNamed(
  accounts: ReadonlyMap<string, SimulatedAccount>,
  { trustAnchorArn: arn }: Input,
  { region }: Authorization,
): SimulatedAccount {
  if (typeof arn !== 'string') throw validation('trustAnchorArn is required.')
  const account = accounts.get(arn.split(':')[4] ?? '')
  const known = account?.roles.some(({ anywhere }) => anywhere) === true ? trustArnsOf(account) : undefined
  if (account !== undefined && known?.trustAnchorArn === arn && known.region === region) return account
  throw new ServiceError('ResourceNotFoundException', 'The trust anchor was not found.', 404)
}

/** Each certificate is issued by the next, and the last by the anchor; all are valid now. */
function requireTrusted(
  leaf: X509Certificate,
  chain: readonly X509Certificate[],
  anchor: X509Certificate,
  now: Date,
): void {
  const path = [leaf, ...chain.filter(({ raw }) => !raw.equals(anchor.raw)), anchor]
  const isIssued = path.every((certificate, at) => {
    const issuer = path[at + 1]
    return (
      issuer === undefined || (issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
    )
  })
  if (leaf.ca || !isIssued) throw denied('Untrusted certificate. Insufficient certificate')
  const isPast = path.some(({ validToDate }) => now > validToDate)
  if (isPast) throw denied('Untrusted certificate. Certificate has expired')
  if (path.some(({ validFromDate }) => now < validFromDate)) throw denied('Untrusted certificate. Not valid yet')
}
