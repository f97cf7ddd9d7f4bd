import { setting } from '../../../base/environment.ts'
import { KeySetOf } from '../../../serving/key-set.ts'

/** The issuer of the cloud's identity tokens, and the address of its keys. */
interface Issuer {
  readonly iss: string
  readonly jwksURL: string
  /** every value that `iss` may have */
  readonly names: readonly string[]
  readonly keys: KeySetOf
}

const NAME = 'https://accounts.google.com'
const KEY_SET = 'https://www.googleapis.com/oauth2/v3/certs'

let read: Issuer | undefined

/** The issuer that the deployment configures, by default the cloud's own. `iss` occurs with and without the scheme. */
export function builtInIssuer(): Issuer {
  if (read) return read
  const name = setting('KEYMGR_EKM_ISSUER') || NAME
  const jwksURL = setting('KEYMGR_EKM_KEY_SET') || KEY_SET
  read = {
    iss: name,
    jwksURL,
    names: [name, name.replace(/^https:\/\//, '')],
    keys: new KeySetOf(jwksURL),
  }
  return read
}
