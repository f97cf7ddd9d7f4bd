import { KeySetOf } from '../../../serving/key-set.ts'

/** Who issues the identity tokens of the cloud, and where it publishes its keys. */
interface Issuer {
  /** every value that `iss` may have */
  readonly names: readonly string[]
  readonly keys: KeySetOf
}

const NAME = 'https://accounts.google.com'
const KEY_SET = 'https://www.googleapis.com/oauth2/v3/certs'

let read: Issuer | undefined

/** As the deployment names it, the cloud's own without. Its tokens come with and without the scheme in `iss`. */
export function issuer(): Issuer {
  if (read) return read
  const name = process.env.KEYMGR_EKM_ISSUER || NAME
  read = {
    names: [name, name.replace(/^https:\/\//, '')],
    keys: new KeySetOf(process.env.KEYMGR_EKM_KEY_SET || KEY_SET),
  }
  return read
}
