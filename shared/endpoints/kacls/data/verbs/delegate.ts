import { after } from '../../../../serving/maybe-promise.ts'
import { DELEGATION } from '../authentication.ts'
import { verb } from '../call.ts'
import { ownToken } from '../own-token.ts'
import { assertWithin } from '../perimeter.ts'
import { assertNotReserved } from './wrap.ts'

const LIFETIME_SECONDS = 15 * 60

/** POST delegate: a token with which another identity acts for the user on one resource. */
export const delegate = verb({
  tokens: {
    authentication: ['user'],
    authorization: 'application',
    roles: ['reader', 'writer', 'upgrader', 'signer', 'decrypter'],
  },
  message: () => undefined,
  key: (call) => {
    const { perimeterId = '' } = call.authorization ?? {}
    assertNotReserved({ perimeterId })
    return assertWithin(call, perimeterId)
  },
  use: ({ endpoint, authentication, authorization, now }) => {
    const user = authentication?.kind === 'user' ? authentication : undefined
    const claims = {
      aud: DELEGATION,
      email: user?.email,
      ...(user?.workspaceEmail !== undefined && { google_email: user.workspaceEmail }),
      delegated_to: authorization?.delegatedTo,
      resource_name: authorization?.resourceName,
    }
    return after(ownToken(endpoint, claims, LIFETIME_SECONDS, now), (token) => ({ delegated_authentication: token }))
  },
})
