import * as z from 'zod'
import { Refusal } from '../../../base/errors.ts'
import { object } from '../../../base/lazy-fields.ts'
import type { CloudAName } from '../keys/model.ts'
import { signedByCertificate } from './certificate-signature.ts'
import { addressOf } from './endpoints.ts'
import { credentialsRefused, isOfCredentials } from './errors.ts'
import { postTo, sentBy, type Sender } from './plain-call.ts'
import type { RoleAnywhere } from './types.ts'
import { whilePassing } from './waiting.ts'

const PATH = '/sessions'
const SECONDS = 3_600
const ANSWER_MS = 10_000

const Reply = object(() => ({
  credentialSet: z.tuple(
    [
      z.object({
        credentials: z.object({
          accessKeyId: z.string(),
          secretAccessKey: z.string(),
          sessionToken: z.string(),
          expiration: z.iso.datetime({ offset: true }),
        }),
      }),
    ],
    z.unknown(),
  ),
}))

/** Region of an ARN. */
const regionOf = (arn: string): string => arn.split(':')[3] ?? ''

/**
 * Credentials of a role in exchange for a certificate. Ours: called without the SDK, which has no client for this
 * service. Signed with this machine's time, as the SDK does.
 * @param sender of a client for the same cloud
 * @throws Refusal CLOUD_DENIED when the cloud rejects the certificate, the role, the profile or the anchor; the cloud's
 * error for a temporary failure
 */
export async function certificateSession(
  name: CloudAName,
  { anywhere_role_arn, profile_arn, trust_anchor_arn, ...holder }: RoleAnywhere,
  sender: Sender,
) {
  const address = addressOf('rolesanywhere', name, regionOf(trust_anchor_arn))
  const body = JSON.stringify({
    durationSeconds: SECONDS,
    profileArn: profile_arn,
    roleArn: anywhere_role_arn,
    trustAnchorArn: trust_anchor_arn,
  })
  const { host } = new URL(address.endpoint)
  const budget = AbortSignal.timeout(ANSWER_MS) // shared by all callers of this answer
  const send = (): Promise<unknown> => {
    const post = { host, path: PATH, body, region: address.region, at: new Date() }
    return sentBy(sender, postTo(address, PATH, signedByCertificate(post, holder), body), budget)
  }
  try {
    const reply = Reply.safeParse(await whilePassing(budget, send))
    if (!reply.success)
      throw new Refusal('CLOUD_UNAVAILABLE', 'Cloud-a answered without the credentials of the certificate.')
    const { expiration, ...credentials } = reply.data.credentialSet[0].credentials
    return { ...credentials, expiration: new Date(expiration) }
  } catch (error) {
    throw isOfCredentials(error) ? credentialsRefused(error) : error
  }
}
