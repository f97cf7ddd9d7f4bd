/** Options of other command lines, with the options that they mean here: the first that a command has. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  bits: ['size'],
  count: ['limit'],
  cron: ['run-at'],
  csv: ['output'],
  expiration: ['deactivation-date', 'expires-at', 'valid-to'],
  expires: ['deactivation-date', 'expires-at', 'valid-to', 'expires-before'],
  expiry: ['deactivation-date', 'expires-at', 'valid-to'],
  filter: ['name', 'query'],
  force: ['force', 'yes'],
  format: ['output'],
  json: ['output'],
  'key-size': ['size'],
  'key-type': ['algorithm', 'kty'],
  offset: ['skip'],
  page: ['skip', 'limit'],
  'page-size': ['limit'],
  schedule: ['run-at'],
  search: ['name'],
  'sort-by': ['sort'],
  start: ['created-after', 'from'],
  tag: ['tags', 'labels'],
  tags: ['labels'],
  table: ['output'],
  top: ['limit'],
  type: ['algorithm', 'strategy', 'operation'],
  vault: ['key-vault', 'key-vault-id', 'vault-id', 'vault-name'],
  where: ['name', 'query'],
  yaml: ['output'],
}

/** The option meant by another word, if the command has it. */
export const optionFor = (given: string, options: readonly string[]): string | undefined =>
  (Object.hasOwn(OPTIONS, given) ? OPTIONS[given] : undefined)?.find((each) => options.includes(each))

/** The option that states the opposite, such as `unexportable` of `exportable`: its value would be the other one. */
export const oppositeOf = (given: string, options: readonly string[]): string | undefined =>
  options.find((each) => each === `un${given}` || each === `not-${given}` || given === `un${each}`)
