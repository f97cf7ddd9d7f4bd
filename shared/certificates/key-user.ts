import type { KeyUser } from '../vault/keys/lifecycle/key-users.ts'
import { keyNameOf } from './authority-key.ts'
import { localCas } from './authorities/store.ts'

/** Authorities over local keys. A new version of such a key changes nothing: a certificate is for one version. */
export const caKeyUser: KeyUser = {
  usesOf: async (domain, name) => {
    const id = name.startsWith(keyNameOf('')) ? name.slice(keyNameOf('').length) : ''
    const authority = id === '' ? undefined : await localCas.get(domain, id)
    return [{ noun: 'local CA', count: authority === undefined ? 0 : 1 }]
  },
}
