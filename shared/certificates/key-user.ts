import { isPermitted } from '../http/permission.ts'
import { mayRead, type KeyUser } from '../vault/keys/lifecycle/key-users.ts'
import { keyNameOf } from './authority-key.ts'
import { localCas } from './authorities/store.ts'

/** Authorities that use local keys. A new version of such a key has no effect: a certificate is for one version. */
export const caKeyUser: KeyUser = {
  usesOf: async ({ caller, uses }, name) => {
    const id = name.startsWith(keyNameOf('')) ? name.slice(keyNameOf('').length) : ''
    const authority = id === '' ? undefined : await localCas.get(caller.domain.id, id)
    if (authority === undefined) return []
    const isSeen = isPermitted('ca-admins', caller) && mayRead({ uses }, 'ReadLocalCA', authority.item)
    return [{ noun: 'local CA', count: 1, names: isSeen ? [authority.item.name] : [] }]
  },
}
