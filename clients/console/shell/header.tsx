import { useQuery } from '@tanstack/preact-query'
import { useLocation } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { HOME } from '../home.ts'
import { keymgr, session } from '../service.ts'
import { DomainMenu } from './domain-menu.tsx'
import { closesOutside } from './disclosure.ts'
import { Keyboard } from './keyboard.tsx'
import { ENTRIES, entryOf, NAVIGATION, type NavigationEntry } from './navigation.ts'
import { chooseTheme, chosenTheme, THEMES } from './theme.ts'

/** Name, search and the user's menu, and the navigation: a side bar, or a sheet on a phone. */
export function Header() {
  const [isOpen, setOpen] = useState(false)
  const { path, url } = useLocation()
  useEffect(() => setOpen(false), [url])
  return (
    <>
      <header class="top">
        <a class="brand" href={HOME}>
          keymgr
        </a>
        <button
          type="button"
          class="nav-button"
          aria-expanded={isOpen}
          aria-controls="navigation"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
        <Keyboard />
        <DomainMenu />
        <UserMenu />
      </header>
      <nav id="navigation" aria-label="Main" class={isOpen ? 'side is-open' : 'side'}>
        <Navigation here={entryOf(path)} />
      </nav>
    </>
  )
}

/** The actions of entries that the user may not call. Unknown at first: then all entries are shown. */
function useDenied(): ReadonlySet<string> {
  const { data } = useQuery({
    queryKey: ['navigation'],
    queryFn: async ({ signal }) => {
      const actions = [...new Set(ENTRIES.flatMap(({ action }) => action ?? []))]
      const body = { permissions: actions.map((action) => ({ action, resource: '*' })) }
      const { permissions } = await keymgr.post('/v1/auth/self/permissions', { body, signal })
      return new Set(permissions.filter(({ allowed }) => !allowed).map(({ action }) => action))
    },
    staleTime: Infinity,
  })
  return data ?? NONE
}

const NONE: ReadonlySet<string> = new Set()

function Navigation({ here }: { readonly here: NavigationEntry | undefined }) {
  const denied = useDenied()
  return (
    <>
      {NAVIGATION.map(({ title, entries }) => {
        const seen = entries.filter(({ action }) => action === undefined || !denied.has(action))
        if (seen.length === 0) return null
        return (
          <div key={title}>
            {title !== undefined && <p aria-hidden="true">{title}</p>}
            <ul aria-label={title}>
              {seen.map((entry) => (
                <li key={entry.at}>
                  <a href={entry.at} aria-current={entry === here ? 'page' : undefined}>
                    {entry.title}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </>
  )
}

/** A disclosure instead of a menu: its parts are ordinary links, choices and buttons. */
function UserMenu() {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => closesOutside(menu.current), [])
  const { data } = useQuery({
    queryKey: ['self'],
    queryFn: ({ signal }) => keymgr.get('/v1/auth/self/user', { signal }),
    staleTime: Infinity,
  })
  return (
    <details class="user" ref={menu}>
      <summary>{data?.username ?? 'User'}</summary>
      <div class="sheet">
        <a href={`${HOME}me`}>You</a>
        <ThemeChoice />
        <a href="/api/guide/" target="_blank" rel="noopener">
          API guide
        </a>
        <button type="button" onClick={() => void session.logOut('You are logged out.')}>
          Log out
        </button>
      </div>
    </details>
  )
}

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme)
  return (
    <fieldset class="theme">
      <legend>Colours</legend>
      {THEMES.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="theme"
            value={each}
            checked={theme === each}
            onChange={() => {
              chooseTheme(each)
              setTheme(each)
            }}
          />
          {each}
        </label>
      ))}
    </fieldset>
  )
}
