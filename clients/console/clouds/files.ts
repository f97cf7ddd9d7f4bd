/** Actions that save a file of a key: its passport or its public key. The file has the name of the key. */
import type { PathOf } from '../../sdk/calls.ts'
import { callTo } from '../calls.ts'
import type { SavedFile } from '../forms/files.ts'
import type { KeyAction } from './row.ts'

/** @param text PEM */
export const pemFile = (name: string, text: string): SavedFile => ({
  name: `${name}.pem`,
  type: 'application/x-pem-file',
  text,
})

export const PUBLIC_KEY = {
  ...{ name: 'public-key', title: 'Public key', submit: 'Save', done: 'The public key is saved.' },
  about: 'Saves the public key, in PEM.',
} as const

/** Saves the passport of a key as the service returns it, for `keymgr-verify passport`. */
export const passportOf = <K extends { readonly id: string }>(
  path: PathOf<'get'>,
  nameOf: (key: K) => string,
): KeyAction<K> => ({
  ...{ name: 'passport', title: 'Passport', submit: 'Save', done: 'The passport is saved.' },
  about:
    'Saves a signed statement about the key: where it is from, its versions and their evidence. keymgr-verify checks it without network.',
  applies: () => true,
  call: ({ id }) => callTo('get', path, { path: { id } }),
  saves: (key, answer) => ({
    name: `${nameOf(key)}.passport.json`,
    type: 'application/json',
    text: JSON.stringify(answer, undefined, 2),
  }),
})
