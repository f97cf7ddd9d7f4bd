import type { CommandRow, OptionRow } from './command.ts'

const option = (name: string, about: string, more: Partial<OptionRow> = {}): OptionRow => ({
  option: name,
  in: 'body',
  path: [name],
  type: 'string',
  about,
  ...more,
})

const own = (summary: string, about: string, more: Partial<CommandRow> = {}): CommandRow => ({
  words: [],
  operationId: '',
  method: '',
  path: '',
  summary,
  about,
  positions: [],
  options: [],
  headers: [],
  answers: 'application/json',
  columns: [],
  own: true,
  ...more,
})

/** Commands of keymgr itself, in the form of operations of the service, for options, help and completion. */
export const LOG_IN = own(
  'Log in, and keep the log-in as a profile',
  'With name and password; with --device in a browser that may be elsewhere; with --certificate at the address with mutual ' +
    'TLS. The password is asked for, or read from --password-file, --password-env or KEYMGR_PASSWORD. It is not kept.',
  {
    options: [
      option('name', 'the user'),
      option('password', 'of the user', { secret: true }),
      option('domain', 'a child domain, by name or id; the root domain without it'),
      option('auth-domain', 'the domain that owns the user, such as root for a guest'),
      option('connection', 'a directory, or with --device an identity provider; by name or id'),
      option('device', 'shows a code that is confirmed in a browser', { type: 'boolean' }),
      option('certificate', 'file of the certificate (PEM) to log in with'),
      option('key', 'file of its private key (PEM)'),
      option('client-id', 'the registered client whose certificate it is; a user without it'),
    ],
  },
)

export const LOG_OUT = own('Log out', 'Ends the log-in here and at the service; the profile stays.')

export const WHO_AM_I = own('Show who is logged in', 'Asks the service who the caller is.')

export const PROFILES = own('List profiles, or use another one', 'keymgr profiles use name goes on with another one.', {
  columns: ['name', 'current', 'url', 'user', 'method', 'logged_in'],
})

export const COMPLETION = own('Write the completion of a shell', 'One of bash, zsh and fish.', {
  positions: [{ name: 'shell', enum: ['bash', 'zsh', 'fish'] }],
})

export const MCP = own(
  'Serve the operations to a program as tools',
  'Speaks the Model Context Protocol over standard input and output. Words limit the tools to these first words of ' +
    'commands. Without --allow-changes, the tools only read; with it, a change is first shown and then confirmed. ' +
    'Secrets are neither accepted nor shown.',
  {
    positions: [{ name: 'words' }],
    options: [option('allow-changes', 'offers tools that change something', { type: 'boolean' })],
  },
)

const HELP = own('Explain words, or the exit codes', 'Takes the words of a command, or exit-codes.')

/** These commands by their words. */
export const OWN_COMMANDS = {
  login: LOG_IN,
  logout: LOG_OUT,
  whoami: WHO_AM_I,
  profiles: PROFILES,
  completion: COMPLETION,
  mcp: MCP,
  help: HELP,
} as const satisfies Readonly<Record<string, CommandRow>>

type OwnWord = keyof typeof OWN_COMMANDS

/** Whether a word is a command of keymgr itself, not of the service. */
export const isOwnWord = (word: string): word is OwnWord => Object.hasOwn(OWN_COMMANDS, word)

/** The row of a command of keymgr itself. */
export const ownCommand = (word: string): CommandRow | undefined => (isOwnWord(word) ? OWN_COMMANDS[word] : undefined)
