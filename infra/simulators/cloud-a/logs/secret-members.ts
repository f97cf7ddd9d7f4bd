/** Members that may hold secrets. */
const SECRET_MEMBERS = new Set([
  'EncryptedKeyMaterial',
  'Plaintext',
  'Message',
  'KeyStorePassword',
  'RawSecretAccessKey',
])

/** The input without its secret members, at any depth. */
export function withoutSecrets(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const shown = Object.entries(input).filter(([name]) => !SECRET_MEMBERS.has(name))
  return Object.fromEntries(shown.map(([name, value]) => [name, isObject(value) ? withoutSecrets(value) : value]))
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
