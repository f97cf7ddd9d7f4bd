import { Refusal } from '../../shared/base/errors.ts'
import { operation, type Operation } from '../../shared/http/operation.ts'
import { NewCryptoSpace, NewIssuer } from '../../shared/endpoints/ekm/model.ts'

/** What the interface knows and this service does not have yet is refused as that, not passed over. */
const refusing = (says: string, body: typeof NewCryptoSpace | typeof NewIssuer, sentence: string): Operation =>
  operation({ says, body, may: 'keymgr-admins' }, () => Promise.reject(new Refusal('NOT_SUPPORTED', sentence)))

/** POST /v1/keymgr/ekm/cryptospaces */
export const createCryptoSpace = refusing(
  'Create EKM Crypto Space',
  NewCryptoSpace,
  'Crypto spaces are not offered yet: make endpoints one by one.',
)

/** POST /v1/keymgr/ekm/issuers */
export const createIssuer = refusing(
  'Create EKM Issuer',
  NewIssuer,
  'Issuers of your own are not offered yet: the deployment names the one whose tokens are taken.',
)
