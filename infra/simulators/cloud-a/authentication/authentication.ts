import { ServiceError } from '../../toolkit/service-error.ts'
import { principalId, type SimulatedAccount } from '../accounts/accounts.ts'
import type { Caller } from './caller.ts'
import { partitionOf, worksIn } from '../accounts/regions.ts'
import { openSession, sessionSecret, TEMPORARY_PREFIX } from './sessions.ts'
import { readAuthorization, verifySignature, type Authorization } from '../../toolkit/aws/sigv4.ts'
import type { HttpRequest } from '../../toolkit/loopback.ts'
import type { CloudState } from '../state/cloud-state.ts'

const SKEW_MS = 300_000

const unrecognized = () =>
  new ServiceError('UnrecognizedClientException', 'The security token included in the request is invalid.')

/**
 * Authenticates a request by an account's access key or by a role's session.
 * @param service the signing name of the operation's service
 * @throws ServiceError MissingAuthenticationTokenException, IncompleteSignatureException, UnrecognizedClientException,
 *   ExpiredTokenException, InvalidSignatureException
 */
export function authenticate(
  { state, accounts }: { state: CloudState; accounts: ReadonlyMap<string, SimulatedAccount> },
  request: HttpRequest,
  service: string,
): Caller {
  const authorization = readAuthorization(request.headers)
  const known = authorization.accessKeyId.startsWith(TEMPORARY_PREFIX)
    ? roleCaller(state, accounts, request, authorization)
    : userCaller(accounts, authorization)
  verifySignature(request, authorization, known.secretAccessKey)
  requireFresh(state, authorization)
  requireScope(known.caller.account, authorization, service)
  if (known.expiresAt <= state.now()) {
    throw new ServiceError('ExpiredTokenException', 'The security token included in the request is expired')
  }
  return known.caller
}

interface Known {
  readonly caller: Caller
  readonly secretAccessKey: string
  readonly expiresAt: number
}

function userCaller(accounts: ReadonlyMap<string, SimulatedAccount>, { accessKeyId, region }: Authorization): Known {
  const account = [...accounts.values()].find(({ credentials }) => credentials.accessKeyId === accessKeyId)
  if (account === undefined) throw unrecognized()
  const { userArn } = account
  const userId = principalId('AIDA', userArn)
  const caller = { account, arn: userArn, principalArn: userArn, userId, accessKeyId, region }
  return { caller, secretAccessKey: account.credentials.secretAccessKey, expiresAt: Infinity }
}

function roleCaller(
  { secret }: CloudState,
  accounts: ReadonlyMap<string, SimulatedAccount>,
  { headers }: HttpRequest,
  { accessKeyId, region }: Authorization,
): Known {
  const session = openSession(secret, String(headers['x-amz-security-token'] ?? ''), accessKeyId)
  const account = session && accounts.get(session.account)
  const role = account?.roles.find(({ name }) => name === session?.role)
  if (session === undefined || account === undefined || role === undefined) throw unrecognized()
  const caller = {
    account,
    arn: sessionArn(role.arn, session.session),
    principalArn: role.arn,
    userId: `${principalId('AROA', role.arn)}:${session.session}`,
    accessKeyId,
    region,
  }
  return { caller, secretAccessKey: sessionSecret(secret, accessKeyId), expiresAt: session.expiresAt }
}

/** @param roleArn `arn:<partition>:iam::<account>:role/<name>` */
export const sessionArn = (roleArn: string, session: string): string =>
  `${roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${session}`

/**
 * Accepts a time within five minutes of this machine's clock, which SDKs use, or of the simulator's clock, which tests
 * move.
 */
export function requireFresh({ now }: CloudState, { signedAt }: Authorization): void {
  const off = Math.min(...[Date.now(), now()].map((time) => Math.abs(time - signedAt.getTime())))
  if (off <= SKEW_MS) return
  throw new ServiceError('InvalidSignatureException', `Signature expired or not yet current: ${signedAt.toISOString()}`)
}

/** Credentials are valid in the enabled regions of their partition; other regions do not know them. */
function requireScope({ cloud_name }: SimulatedAccount, { region, service }: Authorization, expected: string): void {
  if (service !== expected) {
    throw new ServiceError(
      'InvalidSignatureException',
      `Credential should be scoped to correct service: '${expected}'.`,
    )
  }
  if (!worksIn(partitionOf(cloud_name), region)) throw unrecognized()
}
