import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure } from './failures.ts'

/** Asks at the terminal. Secrets are not shown as they are typed: the terminal stops echoing before the question is there. */
export function ask(question: string, { echo }: { readonly echo: boolean }): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: echo ? process.stderr : silent, terminal: true })
  process.stderr.write(question)
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      resolve(line)
      lines.close()
      if (!echo) process.stderr.write('\n')
    })
    lines.once('SIGINT', () => {
      reject(new Failure('interrupted', 'Interrupted.'))
      lines.close()
    })
    lines.once('close', () => reject(new Failure('usage', 'Nothing was given.')))
  })
}
