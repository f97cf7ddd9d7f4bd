import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import * as os from 'node:os'
import * as path from 'node:path'
import { freePort } from '../../infra/local/table/table.ts'
import { isOpen } from './ports.ts'

/** A message as a syslog server parsed it. */
export interface Understood {
  readonly app: string
  readonly msgid: string
  /** structured data of RFC 5424; `-` if there is none */
  readonly structured: string
  readonly text: string
}

export interface SyslogServer {
  readonly port: number
  /** Stops the server. @returns all messages, in the order of their arrival */
  readonly stop: () => Promise<Understood[]>
}

const RSYSLOGD = '/usr/sbin/rsyslogd'

const configuration = (folder: string, port: number): string => `
global(workDirectory="${folder}" maxMessageSize="64k")
module(load="imtcp")
template(name="parts" type="string" string="%app-name%\\t%msgid%\\t%structured-data%\\t%msg:::drop-last-lf%\\n")
ruleset(name="all") { action(type="omfile" file="${folder}/messages" template="parts") }
input(type="imtcp" address="127.0.0.1" port="${port}" ruleset="all")
`

function understoodIn(text: string): Understood[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [app = '', msgid = '', structured = '', ...rest] = line.split('\t')
    return { app, msgid, structured, text: rest.join('\t').trim() }
  })
}

async function startRsyslogd(): Promise<SyslogServer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keymgr-rsyslogd-'))
  const port = await freePort()
  fs.writeFileSync(path.join(folder, 'rsyslog.conf'), configuration(folder, port))
  const child = spawn(RSYSLOGD, ['-n', '-f', path.join(folder, 'rsyslog.conf'), '-i', path.join(folder, 'pid')], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  while (!(await isOpen(port))) if (child.exitCode !== null) throw new Error('rsyslogd does not start')
  return {
    port,
    stop: async () => {
      child.kill('SIGTERM') // before it exits, it writes the received messages
      await exited
      const messages = path.join(folder, 'messages')
      const text = fs.existsSync(messages) ? fs.readFileSync(messages, 'utf8') : ''
      fs.rmSync(folder, { recursive: true })
      return understoodIn(text)
    },
  }
}

/** RFC 5424 §6: header and structured data; RFC 6587 §3.4.1: number of bytes. */
const MESSAGE = /^<\d{1,3}>1 \S+ \S+ (\S+) \S+ (\S+) (-|(?:\[(?:[^\]\\]|\\.)*\])+) ?([^]*)$/

function messagesIn(bytes: Buffer): Understood[] {
  const found: Understood[] = []
  for (let rest = bytes; rest.length > 0;) {
    const space = rest.indexOf(' ')
    const count = Number(rest.toString('latin1', 0, space))
    const [, app = '', msgid = '', structured = '', text = ''] =
      MESSAGE.exec(rest.toString('utf8', space + 1, space + 1 + count)) ?? []
    found.push({ app, msgid, structured, text })
    rest = rest.subarray(space + 1 + count)
  }
  return found
}

/** A minimal server, used where rsyslogd is not installed. */
async function startOwn(): Promise<SyslogServer> {
  const taken: Understood[] = []
  const server = createServer((socket) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => taken.push(...messagesIn(Buffer.concat(chunks))))
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port,
    stop: async () => {
      server.close()
      await once(server, 'close')
      return taken
    },
  }
}

const STARTS = { rsyslogd: startRsyslogd, ours: startOwn } as const

/** The syslog servers that are available on this machine. */
export const SYSLOG_SERVERS: readonly (keyof typeof STARTS)[] = fs.existsSync(RSYSLOGD)
  ? ['rsyslogd', 'ours']
  : ['ours']

export const startSyslogServer = (server: keyof typeof STARTS): Promise<SyslogServer> => STARTS[server]()
