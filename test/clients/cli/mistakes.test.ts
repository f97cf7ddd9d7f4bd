import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseOptions, takesValueIn } from '../../../clients/cli/arguments/parse.ts'
import { isDestructiveWord } from '../../../clients/cli/arguments/suggest.ts'
import { tokensOf } from '../../../clients/cli/arguments/tokens.ts'
import type { CommandRow, Group } from '../../../clients/cli/command.ts'
import type { Description } from '../../../clients/cli/described/description.ts'
import { groupsOf } from '../../../clients/cli/described/groups.ts'
import { findCommand, knownWords } from '../../../clients/cli/find.ts'
import { checkValues } from '../../../clients/cli/names.ts'
import { OWN_COMMANDS } from '../../../clients/cli/own-commands.ts'
import { failureOf, told } from '../../../clients/cli/told.ts'
import { unknownCommand, unknownFirstWord } from '../../../clients/cli/unknown-words.ts'

/**
 * Typical mistakes of users, such as words of other command lines, and the messages for them. `refusals.own.test.ts`
 * runs the program itself; this file tests the parsing of words and options, which needs no process.
 */
const description = JSON.parse(
  readFileSync(new URL('../../../clients/openapi.json', import.meta.url), 'utf8'),
) as Description
const { groups } = groupsOf(description)
const own = Object.keys(OWN_COMMANDS)

function groupOf(word: string): Group {
  const group = groups.find((each) => each.word === word)
  if (group === undefined) throw unknownFirstWord([word], { words: groups.map((each) => each.word), own, groupOf })
  return group
}

function refuse(args: readonly string[], known: { row?: CommandRow }): void {
  const end = args.findIndex((arg) => arg.startsWith('-'))
  const [word = '', ...words] = end === -1 ? args : args.slice(0, end)
  if (!groups.some((each) => each.word === word))
    throw unknownFirstWord([word, ...words], { words: groups.map((each) => each.word), own, groupOf })
  const group = groupOf(word)
  const found = findCommand(group, words)
  if (found === undefined) throw unknownCommand(group, words)
  const { row } = found
  known.row = row
  const tokens = tokensOf(args, takesValueIn(row))
  const values = findCommand(group, tokens.words.slice(1))?.values ?? []
  parseOptions(row, tokens.options)
  checkValues([group.word, ...row.words].join(' '), row, values)
}

/** The message about a command line; empty if it would be sent. */
function saidOf(line: string): string {
  const known: { row?: CommandRow } = {}
  try {
    refuse(line.split(' '), known)
    return ''
  } catch (error) {
    return told(failureOf(error, known.row))
  }
}

/** Each mistake with a part of its message; `-`: it must not suggest anything. */
const MISTAKES: readonly (readonly [line: string, said: string])[] = [
  // clouds and products by other names
  ['aws kms list-keys', 'Clouds have neutral names: cloud-a ('],
  ['azure keys list', 'Clouds have neutral names'],
  ['gcp keys list', 'Clouds have neutral names'],
  ['google keys list', 'Clouds have neutral names'],
  ['oracle vaults list', 'Clouds have neutral names'],
  ['salesforce keys list', 'Clouds have neutral names'],
  ['transit keys list', 'Clouds have neutral names'],
  ['kv get db', 'Clouds have neutral names'],
  ['byok upload', 'Clouds have neutral names'],
  // nouns without the words before them
  ['key create orders', 'Did you mean keymgr vault keys create?'],
  ['key rotate orders', 'Did you mean keymgr vault keys rotate?'],
  ['keys list', 'Did you mean keymgr vault keys list?'],
  ['keys delete orders', 'Did you mean keymgr vault keys?'],
  ['secret get db', 'Did you mean keymgr vault secrets get?'],
  ['secrets list', 'Did you mean keymgr vault secrets list?'],
  ['secret rotate db', 'Did you mean keymgr vault secrets versions create?'],
  ['certificate list', 'Did you mean keymgr ca local-cas certs list?'],
  ['certs issue', 'Did you mean keymgr ca local-cas certs issue?'],
  ['user list', 'Did you mean keymgr users list?'],
  ['user create --name a', 'Did you mean keymgr users create?'],
  ['group list', 'Did you mean keymgr groups list?'],
  ['client list', 'Did you mean keymgr clients list?'],
  ['client register', 'Did you mean keymgr clients register?'],
  ['policy list', 'Did you mean keymgr policies list?'],
  ['logs', 'Did you mean keymgr audit records?'],
  ['event list', 'Did you mean keymgr audit records list?'],
  ['alarms list', 'Did you mean keymgr system alarms list?'],
  ['metrics', 'Did you mean keymgr system metrics?'],
  ['health', 'Did you mean keymgr system info?'],
  ['status', 'Did you mean keymgr system info?'],
  ['version', 'Did you mean keymgr system info?'],
  ['jobs list', 'Did you mean keymgr scheduler jobs list?'],
  ['job run nightly', 'Did you mean keymgr scheduler job-configs run-now?'],
  ['schedule list', 'Did you mean keymgr scheduler job-configs list?'],
  ['schedules create', 'Did you mean keymgr scheduler job-configs create?'],
  ['domain list', 'Did you mean keymgr domains list?'],
  ['tenants list', 'Did you mean keymgr domains list?'],
  ['roles list', 'Did you mean keymgr groups list?'],
  ['template list', 'Did you mean keymgr vault templates list?'],
  ['token create', 'Did you mean keymgr auth tokens'],
  ['syslog list', 'Did you mean keymgr syslogs list?'],
  ['connection list', 'Did you mean keymgr connections list?'],
  ['reports list', 'Commands with this word: keymgr cloud-a reports;'],
  ['export orders', 'Commands with this word: keymgr vault keys export;'],
  ['restore', 'Commands with this word: keymgr cloud-b keys restore;'],
  ['wrap', 'Commands with this word: keymgr workspace-cse endpoints wrap-private-key.'],
  ['encrypt orders', '-'],
  ['log-in', 'Did you mean login?'],
  ['signin', 'Did you mean keymgr login?'],
  ['sign-in --name a', 'Did you mean keymgr login?'],
  ['logon', 'Did you mean login?'],
  ['login-connections list', 'Did you mean log-in-connections?'],
  ['vualt keys list', 'Did you mean vault?'],
  // words that a group lacks
  ['vault list', 'keymgr vault takes one of: keys, '],
  ['vault key list', 'Did you mean keymgr vault keys?'],
  ['vault kesy list', 'Did you mean keymgr vault keys?'],
  ['vault keys show orders', 'Did you mean keymgr vault keys get?'],
  ['vault keys describe orders', 'Did you mean keymgr vault keys get?'],
  ['vault keys view orders', 'Did you mean keymgr vault keys get?'],
  ['vault keys ls', 'Did you mean keymgr vault keys list?'],
  ['vault keys search', 'Did you mean keymgr vault keys list?'],
  ['vault keys generate', 'Did you mean keymgr vault keys create?'],
  ['vault keys new', 'Did you mean keymgr vault keys create?'],
  ['vault keys crate', 'Did you mean keymgr vault keys create?'],
  ['vault keys renew orders', 'Did you mean keymgr vault keys rotate?'],
  ['vault keys enable orders', 'Did you mean keymgr vault keys reactivate?'],
  ['vault keys edit orders', 'Did you mean keymgr vault keys update?'],
  ['vault keys import --name a', 'Did you mean keymgr vault keys create?'],
  ['vault keys disable orders', '-'],
  ['vault keys remove orders', '-'],
  ['vault keys rm orders', '-'],
  ['vault keys kill orders', '-'],
  ['vault keys destory orders', '-'],
  ['vault keys tag orders', '-'],
  ['vault keys deactivate orders', '-'],
  ['vault keys expire orders', '-'],
  ['vault keys download orders', 'Did you mean keymgr vault keys export?'],
  ['vault keys copy orders', 'Did you mean keymgr vault keys clone?'],
  ['vault keys restore orders', 'Did you mean keymgr vault keys recover?'],
  ['vault keys usage orders', 'Did you mean keymgr vault keys uses?'],
  ['vault keys history orders', 'Did you mean keymgr vault keys versions list?'],
  ['users lock olga', '-'],
  ['namespaces list', 'Did you mean keymgr domains list?'],
  ['logoff', 'Did you mean keymgr logout?'],
  ['config set url', 'Did you mean keymgr profiles'],
  ['vault keys create --bits 256', 'Did you mean --size?'],
  ['vault keys list --csv', 'Did you mean --output?'],
  ['vault keys list --where name=a', 'Did you mean --name?'],
  ['users add --username a', 'Did you mean keymgr users create?'],
  ['users remove olga', '-'],
  ['groups add-user a b', 'keymgr groups takes one of: '],
  ['audit list', 'keymgr audit takes one of: '],
  ['ca list', 'keymgr ca takes one of: local-cas, '],
  ['system config', 'keymgr system takes one of: '],
  ['settings list', 'keymgr settings takes one of: '],
  ['cloud-a key list', 'Did you mean keymgr cloud-a keys?'],
  ['cloud-a keys upload --kms shop', 'Did you mean keymgr cloud-a upload-key?'],
  ['cloud-a keys sync', 'Did you mean keymgr cloud-a synchronization-jobs start?'],
  ['cloud-a sync', 'Did you mean keymgr cloud-a synchronization-jobs start?'],
  ['cloud-a keys schedule-delete a', '-'],
  ['cloud-a kms add --name a', 'Did you mean keymgr cloud-a kms create?'],
  ['cloud-b vault list', 'Did you mean keymgr cloud-b vaults?'],
  ['cloud-b keys purge', '-'],
  ['cloud-c keyrings list', 'Did you mean keymgr cloud-c key-rings?'],
  ['cloud-c projects create', 'Did you mean keymgr cloud-c projects add?'],
  ['cloud-c keys rotate a', 'Did you mean keymgr cloud-c keys versions create?'],
  ['ekm endpoint list', 'Did you mean keymgr ekm endpoints?'],
  ['connections add cloud-a', 'takes <service> before "add": one of cloud-a, cloud-b, '],
  ['connections create --kind cloud-a', 'takes <service> before "create": one of cloud-a, '],
  ['connections test main', 'takes <service> before "test": one of cloud-a, '],
  ['connections cloud-a new --name a', 'Did you mean keymgr connections cloud-a create?'],
  ['scheduler job-configs run nightly', 'Did you mean keymgr scheduler job-configs run-now?'],
  ['clients registration-tokens new', 'Did you mean keymgr clients registration-tokens create?'],
  ['log-forwarders add', 'Did you mean keymgr log-forwarders create?'],
  // values
  ['vault keys get', 'keymgr vault keys get takes id after it; 0 given.'],
  ['vault keys get a b', 'keymgr vault keys get takes id after it; 2 given.'],
  ['vault keys list extra', 'keymgr vault keys list takes no further word; 1 given.'],
  ['vault keys create orders', 'A name is given by --name.'],
  ['users delete', 'keymgr users delete takes user-id-or-username after it; 0 given.'],
  ['cloud-a keys rotate', 'keymgr cloud-a keys rotate takes id-or-alias after it; 0 given.'],
  ['vault keys get --id a', 'Give its value without an option, after the words of the command.'],
  // options
  ['vault keys create --name', '--name needs a value.'],
  ['vault keys create --nam a', 'Did you mean --name?'],
  ['vault keys create -n a', 'There is no option -n.'],
  ['vault keys create --algo aes', 'Did you mean --algorithm?'],
  ['vault keys create --key-size 256', 'Did you mean --size?'],
  ['vault keys create --size 256bit', '--size takes a whole number, not "256bit".'],
  ['vault keys create --expires 30d', 'Did you mean --deactivation-date?'],
  ['vault keys create --deactivation-date 30days', '--deactivation-date takes a time (2030-01-31, '],
  ['vault keys create --tags env=prod', 'Did you mean --labels?'],
  ['vault keys create --label env=prod', 'Did you mean --labels?'],
  ['vault keys create --exportable false', '--unexportable is its opposite.'],
  ['vault keys create --unexportable=no', '--unexportable takes true or false, not "no".'],
  ['vault keys list --filter name=a', 'Did you mean --name?'],
  ['vault keys list --status Active', 'Did you mean --state?'],
  ['vault keys list --limit all', '--limit takes a whole number, not "all".'],
  ['vault keys list --page 2', 'Did you mean --skip?'],
  ['vault keys list --json', 'Did you mean --output?'],
  ['vault keys list --format json', 'Did you mean --output?'],
  ['vault keys list -o wide', '--output takes table, json, yaml, csv; not "wide".'],
  ['vault keys list --sort-by name', 'Did you mean --sort?'],
  ['vault keys list --query', '--query needs a value: expression.'],
  ['cloud-b vaults list --sub x', 'Did you mean --subscription-id?'],
  ['connections cloud-a create --access-key a', 'Did you mean --access-key-id?'],
  ['scheduler job-configs create --cron 5', 'Did you mean --run-at?'],
]

test.each(MISTAKES)('keymgr %s', (line, said) => {
  const told = saidOf(line)
  if (said === '-') expect(told).not.toMatch(/Did you mean|Commands with/)
  else expect(told).toContain(said)
  expect(told).not.toBe('')
})

/** Words of commands that a message suggests. */
const suggestedIn = (message: string): readonly string[][] =>
  [...message.matchAll(/keymgr ([a-z][a-z -]*?)(?=\?|;|\.\n)/g)].map(([, words = '']) => words.split(' '))

test('at least 120 mistakes are tried, and no suggestion is a command that ends something', () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(120)
  for (const [line] of MISTAKES) {
    const message = saidOf(line)
    for (const [word = '', ...words] of suggestedIn(message.slice(message.indexOf('Did you mean')))) {
      if (!message.includes('Did you mean') || own.includes(word)) continue
      const group = groupOf(word)
      const isThere = findCommand(group, words) !== undefined || knownWords(group, words) === words.length
      expect(isThere, `${line}: ${message}`).toBe(true)
      expect(words.filter(isDestructiveWord), line).toEqual([])
    }
  }
})
