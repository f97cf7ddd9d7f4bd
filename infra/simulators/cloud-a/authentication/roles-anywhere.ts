import { optionalInteger, text } from '../../toolkit/aws/input.ts'
import { ServiceError } from '../../toolkit/service-error.ts'
import { principalId } from '../accounts/accounts.ts'
import { sessionArn } from './authentication.ts'
import type { Operations } from '../wire/call.ts'
import { issueSession } from './sessions.ts'
import { trustArnsOf } from './trust-anchors.ts'

/** The maximum is the profile's duration. */
const DURATION_SECONDS = { min: 900, max: 3_600 }
const STANDARD_SECONDS = 3_600
const ARN = { min: 20, max: 2_048 }

/** Credentials of a role for the holder of a certificate. */
export const rolesAnywhereOperations: Operations = {
  CreateSession: ({ caller, state }, input) => {
    const { account, userId: session } = caller
    const [profileArn, roleArn] = [text(input, 'profileArn', ARN), text(input, 'roleArn', ARN)]
    const seconds = optionalInteger(input, 'durationSeconds', DURATION_SECONDS) ?? STANDARD_SECONDS
    if (profileArn !== trustArnsOf(account).profileArn)
      throw new ServiceError('ResourceNotFoundException', 'The profile was not found.', 404)
    const role = account.roles.find(({ arn, anywhere }) => arn === roleArn && anywhere)
    if (role === undefined) throw new ServiceError('AccessDeniedException', `Unable to assume role for arn: ${roleArn}`)
    const expiresAt = Math.floor(state.now() / 1000) * 1000 + seconds * 1000
    const issued = issueSession(state.secret, { account: account.id, role: role.name, session, expiresAt })
    const credentialSet = [
      {
        assumedRoleUser: {
          arn: sessionArn(role.arn, session),
          assumedRoleId: `${principalId('AROA', role.arn)}:${session}`,
        },
        credentials: {
          accessKeyId: issued.AccessKeyId,
          secretAccessKey: issued.SecretAccessKey,
          sessionToken: issued.SessionToken,
          expiration: issued.Expiration.toISOString().replace(/\.\d+Z$/, 'Z'),
        },
        packedPolicySize: 0,
        roleArn,
        sourceIdentity: caller.arn,
      },
    ]
    return { credentialSet, subjectArn: caller.arn }
  },
}
