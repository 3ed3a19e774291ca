// One's own security: what one signs in with, and where one is signed in.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { passkeysSupported } from "../../shared/passkeys";
import {
  type Credentials,
  endOneSession,
  endOtherSessions,
  listCredentials,
  listSessions,
  type Passkey,
  removePasskey,
  removeTotp,
  renamePasskey,
  setPassword,
} from "../api/credentials";
import { isOperator } from "../api/session";
import { signInMethods } from "../api/sign-in";
import { Confirm } from "../components/confirm";
import { MAX_PASSKEY_NAME_CHARS, PasskeyForm, TotpSetup } from "../components/credential-setup";
import { DialogFrame } from "../components/dialog-frame";
import { Field } from "../components/field";
import { OpenSessions } from "../components/open-sessions";
import { Answer, Badge, Card, Moment, Screen } from "../components/screen";
import { useSubmit } from "../one-at-a-time";
import { useAction, useConsole } from "../session-context";
import { fill, useTexts } from "../texts";

const MIN_PASSWORD_CHARS = 12;
const MAX_PASSWORD_CHARS = 200;

/** Does something about what one signs in with, then fetches it anew. */
function useSecurityAction(): (act: () => Promise<unknown>, done: string) => Promise<boolean> {
  const act = useAction();
  const client = useQueryClient();
  return async (change, done) => {
    const changed = await act(change, done);
    await Promise.all(["credentials", "sessions"].map((kind) => client.invalidateQueries({ queryKey: [kind] })));
    return changed;
  };
}

export function SecurityScreen() {
  const texts = useTexts();
  const { session } = useConsole();
  const credentials = useQuery({ queryKey: ["credentials"], queryFn: listCredentials });
  return (
    <Screen heading={texts.nav.security} wide>
      <Answer query={credentials}>
        {(own) => (
          <div className="columns">
            <Passkeys passkeys={own.passkeys} />
            <Totp isSetUp={own.codes} />
            {isOperator(session) && <Password isSet={own.password} />}
            <Provider credentials={own} />
          </div>
        )}
      </Answer>
      <Sessions />
    </Screen>
  );
}

function Passkeys({ passkeys }: { passkeys: readonly Passkey[] }) {
  const { security: words } = useTexts();
  const client = useQueryClient();
  const methods = useQuery({ queryKey: ["sign-in-methods"], queryFn: signInMethods });
  const isPossible = methods.data?.passkeys && passkeysSupported();
  return (
    <Card heading={words.passkeys} id="passkeys">
      <p className="soft">{words.passkeysMean}</p>
      {passkeys.length === 0 ? (
        <p>{words.noPasskeys}</p>
      ) : (
        <ul className="lines">
          {passkeys.map((passkey) => (
            <PasskeyItem key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
      {isPossible ? (
        <PasskeyForm onAdded={() => void client.invalidateQueries({ queryKey: ["credentials"] })} />
      ) : (
        methods.data && <p className="soft">{methods.data.passkeys ? words.noBrowser : words.notHere}</p>
      )}
    </Card>
  );
}

function PasskeyItem({ passkey }: { passkey: Passkey }) {
  const texts = useTexts();
  const { security: words } = texts;
  const change = useSecurityAction();
  const [open, setOpen] = useState<"rename" | "remove">();
  const { id, name, created_at, last_used_at } = passkey;
  return (
    <li className="line">
      <span>
        <strong>{name}</strong>
        <br />
        <span className="soft">
          {words.added} <Moment at={created_at} />
          {" · "}
          {last_used_at ? (
            <>
              {words.lastUsed} <Moment at={last_used_at} />
            </>
          ) : (
            words.neverUsed
          )}
        </span>
      </span>
      <span className="answers">
        <Button className="button small" aria-label={fill(words.renameOf, { name })} onPress={() => setOpen("rename")}>
          {words.rename}
        </Button>
        <Button className="button small" aria-label={fill(words.removeOf, { name })} onPress={() => setOpen("remove")}>
          {words.remove}
        </Button>
      </span>
      {open === "rename" && <RenameDialog passkey={passkey} close={() => setOpen(undefined)} />}
      <Confirm
        question={fill(words.removeQuestion, { name })}
        meaning={words.removeMeans}
        yes={words.remove}
        isOpen={open === "remove"}
        onAnswer={(yes) => {
          setOpen(undefined);
          if (yes) {
            void change(() => removePasskey(id), words.passkeyRemoved);
          }
        }}
      />
    </li>
  );
}

function RenameDialog({ passkey, close }: { passkey: Passkey; close(): void }) {
  const texts = useTexts();
  const change = useSecurityAction();
  const [name, setName] = useState(passkey.name);
  const submit = useSubmit(async () => {
    if (await change(() => renamePasskey(passkey.id, name), texts.security.renamed)) {
      close();
    }
  });
  return (
    <DialogFrame heading={fill(texts.security.renameOf, { name: passkey.name })} close={close} narrow>
      <form onSubmit={submit}>
        <Field
          label={texts.security.passkeyName}
          value={name}
          onChange={setName}
          minLength={1}
          maxLength={MAX_PASSKEY_NAME_CHARS}
          isRequired
          autoFocus
        />
        <div className="answers">
          <Button className="button primary" type="submit">
            {texts.save}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

function Totp({ isSetUp }: { isSetUp: boolean }) {
  const { security: words } = useTexts();
  const change = useSecurityAction();
  const client = useQueryClient();
  const [asked, setAsked] = useState(false);
  return (
    <Card heading={words.totp} id="totp">
      <p className="soft">{words.totpMeans}</p>
      {isSetUp ? (
        <>
          <div>
            <Badge tone="good" icon="check">
              {words.totpIsSetUp}
            </Badge>
          </div>
          <div className="answers">
            <Button className="button danger" onPress={() => setAsked(true)}>
              {words.removeTotp}
            </Button>
          </div>
        </>
      ) : (
        <TotpSetup onConfirmed={() => void client.invalidateQueries({ queryKey: ["credentials"] })} />
      )}
      <Confirm
        question={words.removeTotpQuestion}
        meaning={words.removeMeans}
        yes={words.removeTotp}
        isOpen={asked}
        onAnswer={(yes) => {
          setAsked(false);
          if (yes) {
            void change(removeTotp, words.totpRemoved);
          }
        }}
      />
    </Card>
  );
}

function Password({ isSet }: { isSet: boolean }) {
  const { security: words, signIn } = useTexts();
  const { session } = useConsole();
  const change = useSecurityAction();
  const [password, setTyped] = useState("");
  const submit = useSubmit(async () => {
    if (await change(() => setPassword(password), words.passwordSet)) {
      setTyped("");
    }
  });
  return (
    <Card heading={signIn.password} id="own-password">
      <p className="soft">{words.passwordMeans}</p>
      {isSet && (
        <div>
          <Badge tone="good" icon="check">
            {words.passwordIsSet}
          </Badge>
        </div>
      )}
      <form onSubmit={submit}>
        {/* A password manager keeps the password under this. */}
        <input
          className="hidden-visually"
          type="email"
          autoComplete="username"
          aria-hidden="true"
          tabIndex={-1}
          readOnly
          value={isOperator(session) ? session.operator.email : session.member.email}
        />
        <Field
          label={words.newPassword}
          type="password"
          value={password}
          onChange={setTyped}
          minLength={MIN_PASSWORD_CHARS}
          maxLength={MAX_PASSWORD_CHARS}
          autoComplete="new-password"
          isRequired
        />
        <div className="answers">
          <Button className="button" type="submit">
            {isSet ? words.changePassword : words.setPassword}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Whether the identity provider knows them; nothing where there is none. */
function Provider({ credentials }: { credentials: Credentials }) {
  const { security: words } = useTexts();
  const { data } = useQuery({ queryKey: ["sign-in-methods"], queryFn: signInMethods });
  if (!data?.identity_provider) {
    return null;
  }
  const name = { name: data.identity_provider };
  return (
    <Card heading={data.identity_provider}>
      <p>{fill(credentials.identity_provider ? words.providerKnows : words.providerKnowsNot, name)}</p>
    </Card>
  );
}

function Sessions() {
  const { security: words, openSessions } = useTexts();
  const change = useSecurityAction();
  const answer = useQuery({ queryKey: ["sessions"], queryFn: listSessions });
  return (
    <Card heading={words.sessions} id="sessions">
      <Answer query={answer}>
        {(sessions) => (
          <>
            <OpenSessions
              sessions={sessions}
              empty={openSessions.none}
              actions={({ id, current }, label) =>
                !current && (
                  <Button
                    className="button small"
                    aria-label={label}
                    onPress={() => void change(() => endOneSession(id), openSessions.ended)}
                  >
                    {openSessions.end}
                  </Button>
                )
              }
            />
            {sessions.some(({ current }) => !current) && (
              <div className="answers">
                <Button
                  className="button danger"
                  onPress={() => void change(endOtherSessions, openSessions.othersEnded)}
                >
                  {openSessions.endOthers}
                </Button>
              </div>
            )}
          </>
        )}
      </Answer>
    </Card>
  );
}
