import { fileOption } from '../arguments/secret-sources.ts'
import { sharedOptionsOf, type SharedOption } from '../arguments/shared-options.ts'
import { TIME_FORMS } from '../arguments/times.ts'
import type { CommandRow, Group, OptionRow } from '../command.ts'
import { EXIT_CODES } from '../failures.ts'
import { commandsBelow, findCommand } from '../find.ts'
import { groupOf, heads } from '../groups-file.ts'
import { shownName } from '../names.ts'
import { OWN_COMMANDS, ownCommand } from '../own-commands.ts'
import { unknownCommand } from '../unknown-words.ts'
import { exampleOf } from './example.ts'
import { rows, wrapped } from './lines.ts'

const print = (lines: readonly string[]): number => {
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

const valueName = ({ type, many, time, members, enum: choices }: OptionRow): string => {
  if (choices !== undefined) return choices.join('|')
  if (many === 'map') return 'name=value'
  if (time) return 'time'
  if (members !== undefined)
    return Object.keys(members)
      .map((name) => `${name}=…`)
      .join(',')
  return type === 'json' ? 'json' : type === 'string' ? 'text' : type
}

function optionName(row: OptionRow): string {
  const { option, type, many } = row
  if (row.secret) return `--${fileOption(row)} file|-`
  if (type === 'boolean' && many === undefined) return `--[no-]${option}`
  return `--${option} ${valueName(row)}`
}

function limits({ least, most }: OptionRow): string {
  if (least === undefined) return most === undefined ? '' : `at most ${most}`
  return most === undefined ? `at least ${least}` : `${least} to ${most}`
}

function aboutOption(row: OptionRow): string {
  const { about, required, many, secret, lookup, time, usual } = row
  return [
    required === 'always' ? 'required' : '',
    about ?? '',
    lookup === undefined ? '' : `id or ${lookup.filter.replaceAll('_', ' ')}`,
    limits(row),
    usual === undefined ? '' : `default ${usual}`,
    time ? `such as ${TIME_FORMS}` : '',
    many === undefined ? '' : 'may be given several times',
    secret ? `secret: also --${row.option}-env variable, or asked for` : '',
  ]
    .filter((part) => part !== '')
    .join('; ')
}

const sharedName = ({ option, short, value, enum: choices }: SharedOption): string =>
  `${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${choices?.join('|') ?? value}`}`

const requiredFirst = (options: readonly OptionRow[]): OptionRow[] =>
  options.toSorted((a, b) => Number(b.required === 'always') - Number(a.required === 'always'))

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `${title}:`, ...lines]

const usageOf = (word: string, row: CommandRow): string =>
  [
    'keymgr',
    word,
    ...row.words,
    ...row.positions.filter(({ name }) => name !== 'svc').map((each) => `<${shownName(each)}>`),
  ].join(' ')

/** The help of one command. */
export function commandHelp(word: string, row: CommandRow): number {
  const { summary, about, options, rules } = row
  const own = requiredFirst(options).map((each): [string, string] => [optionName(each), aboutOption(each)])
  const shared = sharedOptionsOf(row).map((each): [string, string] => [sharedName(each), each.about])
  return print([
    `${usageOf(word, row)} [options]`,
    '',
    ...wrapped(`${summary}. ${about}`),
    ...(row.own ? [] : wrapped(`Calls ${row.method} ${row.path}.`)),
    ...section('Options', rows(own)),
    ...section(
      'Rules',
      (rules?.replace(/\.$/, '').split('; ') ?? []).flatMap((rule) => wrapped(`${rule}.`, '  ')),
    ),
    ...section('Options of all commands like this', rows(shared)),
    ...section('Example', [`  ${exampleOf(word, row)}`]),
  ])
}

/** The help of words that several commands begin with. */
export function groupHelp(group: Group, words: readonly string[]): number {
  const below = commandsBelow(group, words)
  const head = heads().find(({ word }) => word === group.word)
  const before = ['keymgr', group.word, ...words].join(' ')
  const lines = below.map((row): [string, string] => [
    [
      ...row.words.slice(words.length),
      ...row.positions.filter(({ name }) => name !== 'svc').map((each) => `<${shownName(each)}>`),
    ].join(' '),
    row.summary,
  ])
  return print([
    `${before} <words> [options]`,
    ...(words.length === 0 && head !== undefined ? ['', ...wrapped(head.about)] : []),
    ...section('Words', rows(lines)),
    '',
    `${before} <words> --help explains one of them.`,
  ])
}

function exitCodes(): number {
  const lines = Object.values(EXIT_CODES).map(([code, about]): [string, string] => [String(code), about])
  return print(['Exit codes by kind of failure:', '', ...rows(lines)])
}

const overall = (): number =>
  print([
    'keymgr <words> [options]',
    '',
    ...wrapped('Keys of several clouds and of the service itself, from the command line. keymgr login begins.'),
    ...section(
      'Of keymgr itself',
      rows(Object.entries(OWN_COMMANDS).map(([word, { summary }]) => [word, `${summary}.`])),
    ),
    ...section('Of the service', rows(heads().map(({ word, about }) => [word, about]))),
    '',
    'keymgr <words> --help explains words, keymgr help exit-codes the exit codes; keymgr --version tells the version.',
  ])

/** `keymgr help words` */
export function main(args: readonly string[]): number {
  const [word, ...words] = args.filter((each) => each !== '--help' && each !== '-h')
  if (word === undefined) return overall()
  if (word === 'exit-codes') return exitCodes()
  const own = ownCommand(word)
  if (own !== undefined) return commandHelp(word, own)
  const group = groupOf(word, words)
  const found = findCommand(group, words)
  if (found !== undefined) return commandHelp(word, found.row)
  if (words.length > 0 && commandsBelow(group, words).length === 0) throw unknownCommand(group, words)
  return groupHelp(group, words)
}
