import { jwkSet } from '../../../shared/identity/tokens/signing-keys.ts'
import { ok, operation } from '../../../shared/http/operation.ts'
import { JwkSet } from '../../../shared/identity/tokens/model.ts'

/** GET /v1/auth/jwks.json and /.well-known/jwks.json: public keys whose tokens may still be valid. */
export const jwks = operation({ says: 'Get Signing Keys', answers: JwkSet, may: 'anyone' }, async ({ context }) =>
  ok(await jwkSet(context)),
)
