import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { Failure } from './failures.ts'

/**
 * Prompts on the terminal. Secrets are not shown while they are typed: echo is turned off before the question appears.
 */
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
