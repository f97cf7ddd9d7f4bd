import { ServiceError } from '../../toolkit/service-error.ts'
import { principalId, type SimulatedAccount, type SimulatedRole } from '../accounts/accounts.ts'
import { sessionArn } from './authentication.ts'
import type { Call, Operations } from '../wire/call.ts'
import { optionalInteger, optionalText, text } from '../../toolkit/aws/input.ts'
import { partitionOf } from '../accounts/regions.ts'
import { issueSession } from './sessions.ts'

const DURATION_SECONDS = { min: 900, max: 43_200 }
const STANDARD_SECONDS = 3600
/** Also the limit for a session that is started from another session. */
const MOST_SECONDS = 3600
const SESSION_NAME = { min: 2, max: 64, pattern: /^[\w+=,.@-]*$/ }
const EXTERNAL_ID = { min: 2, max: 1224, pattern: /^[\w+=,.@:/-]*$/ }

export const stsOperations: Operations = {
  GetCallerIdentity: ({ caller }) => ({ Arn: caller.arn, UserId: caller.userId, Account: caller.account.id }),
  AssumeRole: (call, input) => {
    const arn = text(input, 'RoleArn', { min: 20, max: 2048 })
    const session = text(input, 'RoleSessionName', SESSION_NAME)
    const seconds = optionalInteger(input, 'DurationSeconds', DURATION_SECONDS) ?? STANDARD_SECONDS
    const externalId = optionalText(input, 'ExternalId', EXTERNAL_ID)
    const { account, role } = assumable(call, arn, externalId)
    if (seconds > MOST_SECONDS) {
      throw new ServiceError(
        'ValidationError',
        'The requested DurationSeconds exceeds the MaxSessionDuration set for this role.',
      )
    }
    const { secret, now } = call.state
    const expiresAt = Math.floor(now() / 1000) * 1000 + seconds * 1000
    return {
      Credentials: issueSession(secret, { account: account.id, role: role.name, session, expiresAt }),
      AssumedRoleUser: {
        AssumedRoleId: `${principalId('AROA', role.arn)}:${session}`,
        Arn: sessionArn(role.arn, session),
      },
    }
  },
}

/**
 * Answers the same for a role that does not exist, does not trust the caller or has another external id.
 * @throws ServiceError AccessDenied, HTTP 403
 */
function assumable(
  { accounts, caller }: Call,
  arn: string,
  externalId: string | undefined,
): { account: SimulatedAccount; role: SimulatedRole } {
  const { arnName } = partitionOf(caller.account.cloud_name)
  const account = accounts.get(/^arn:[^:]+:iam::(\d{12}):role\//.exec(arn)?.[1] ?? '')
  const role = account?.roles.find((each) => each.arn === arn)
  const trusted = arn.startsWith(`arn:${arnName}:`) && role?.trusts.includes(caller.account.id) === true
  if (account !== undefined && trusted && (role.externalId === undefined || role.externalId === externalId)) {
    return { account, role }
  }
  throw new ServiceError(
    'AccessDenied',
    `User: ${caller.arn} is not authorized to perform: sts:AssumeRole on resource: ${arn}`,
    403,
  )
}
