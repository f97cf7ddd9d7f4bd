/**
 * Names of secret fields of bodies, in addition to those that the description marks (`writeOnly`, format `password`).
 * The command line never accepts these as arguments, where other users of the machine and the shell's history would see
 * them.
 */
const NAMES = new Set([
  'authorization_token',
  'code',
  'device_token',
  'material',
  'new_password',
  'password',
  'pin',
  'privateKeyBytes',
  'private_key',
  'private_key_pem',
  'refresh_token',
  'registration_token',
  'secret',
  'token',
  'tweakKey',
])

const ENDINGS = /(?:password|secret|secret_access_key|private_key|key_file|_token)$/i

/** Fields whose name only sounds secret: a position in a list. */
const NOT_SECRET = new Set(['page_token'])

/** Whether a field of a body is secret; a switch never is. */
export const isSecretField = (
  name: string,
  marks: { readonly writeOnly?: boolean; readonly format?: string } = {},
): boolean => {
  if (NOT_SECRET.has(name)) return false
  return marks.writeOnly === true || marks.format === 'password' || NAMES.has(name) || ENDINGS.test(name)
}
