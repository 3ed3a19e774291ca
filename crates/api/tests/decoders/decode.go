// Reads answers of the interface for document sessions as a client with types does: go run decode.go ANSWERS.json
//
// ANSWERS.json is a list of {operation, stage, body}. A member that is not known is passed over; one that is missing, is null or
// has another type ends the program with its path. A member whose field is a pointer, a list behind a pointer or a map behind
// a pointer may be missing. Prints how many answers were read.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"time"
)

// UUID is an id.
type UUID string

// Day is a date without a time.
type Day string

// Anything is an object whose members are the business's own.
type Anything map[string]json.RawMessage

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

var (
	timeType     = reflect.TypeOf(time.Time{})
	uuidType     = reflect.TypeOf(UUID(""))
	dayType      = reflect.TypeOf(Day(""))
	anythingType = reflect.TypeOf(Anything{})
)

func decode(raw json.RawMessage, into reflect.Value, path string) error {
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return fmt.Errorf("%s: it is null", path)
	}
	kind := into.Type()
	if kind == timeType || kind == anythingType {
		if err := json.Unmarshal(raw, into.Addr().Interface()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	switch kind.Kind() {
	case reflect.Ptr:
		into.Set(reflect.New(kind.Elem()))
		return decode(raw, into.Elem(), path)
	case reflect.Struct:
		return decodeObject(raw, into, path)
	case reflect.Slice:
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		into.Set(reflect.MakeSlice(kind, len(items), len(items)))
		for at, item := range items {
			if err := decode(item, into.Index(at), fmt.Sprintf("%s[%d]", path, at)); err != nil {
				return err
			}
		}
		return nil
	case reflect.Map:
		var members map[string]json.RawMessage
		if err := json.Unmarshal(raw, &members); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		into.Set(reflect.MakeMap(kind))
		for name, member := range members {
			value := reflect.New(kind.Elem()).Elem()
			if err := decode(member, value, path+"."+name); err != nil {
				return err
			}
			into.SetMapIndex(reflect.ValueOf(name), value)
		}
		return nil
	}
	if err := json.Unmarshal(raw, into.Addr().Interface()); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if kind == uuidType && !uuid.MatchString(into.String()) {
		return fmt.Errorf("%s: %q is no UUID", path, into.String())
	}
	if kind == dayType {
		if _, err := time.Parse("2006-01-02", into.String()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func decodeObject(raw json.RawMessage, into reflect.Value, path string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	kind := into.Type()
	for at := 0; at < kind.NumField(); at++ {
		field := kind.Field(at)
		name := field.Tag.Get("json")
		member, found := members[name]
		switch {
		case found:
			if err := decode(member, into.Field(at), path+"."+name); err != nil {
				return err
			}
			if words := field.Tag.Get("words"); words != "" {
				word := reflect.Indirect(into.Field(at)).String()
				if !strings.Contains(" "+words+" ", " "+word+" ") {
					return fmt.Errorf("%s.%s: %q is not known", path, name, word)
				}
			}
		case field.Type.Kind() != reflect.Ptr:
			return fmt.Errorf("%s.%s: it is missing", path, name)
		}
	}
	return nil
}

type source struct {
	Type string `json:"type" words:"END_USER RELYING_BUSINESS"`
}

type media struct {
	ID          UUID      `json:"id"`
	Type        string    `json:"type" words:"IMAGE JSON BINARY PDF"`
	Created     time.Time `json:"created"`
	LastUpdated time.Time `json:"last_updated"`
}

type holder struct {
	Media *media `json:"media"`
}

type stored struct {
	Media media `json:"media"`
}

type taskReason struct {
	Value  string  `json:"value" words:"QUALITY USER_ERROR ERROR"`
	Detail *string `json:"detail"`
}

type taskRecommendation struct {
	Value  string      `json:"value" words:"PROGRESS SHOULD_TRY_AGAIN MUST_TRY_AGAIN"`
	Reason *taskReason `json:"reason"`
}

type generatedCheck struct {
	ID   UUID   `json:"id"`
	Type string `json:"type"`
}

type task struct {
	ID              UUID                `json:"id"`
	Type            string              `json:"type"`
	State           string              `json:"state" words:"CREATED PENDING DONE FAILED"`
	Created         time.Time           `json:"created"`
	LastUpdated     time.Time           `json:"last_updated"`
	GeneratedMedia  []media             `json:"generated_media"`
	GeneratedChecks []generatedCheck    `json:"generated_checks"`
	Recommendation  *taskRecommendation `json:"recommendation"`
}

type page struct {
	CaptureMethod string   `json:"capture_method" words:"CAMERA UPLOAD"`
	Frames        []holder `json:"frames"`
	Media         *media   `json:"media"`
}

type idDocument struct {
	ID              UUID      `json:"id"`
	Source          source    `json:"source"`
	DocumentType    string    `json:"document_type" words:"PASSPORT NATIONAL_ID RESIDENCE_PERMIT DRIVING_LICENCE"`
	IssuingCountry  string    `json:"issuing_country"`
	Pages           []page    `json:"pages"`
	DocumentFields  *holder   `json:"document_fields"`
	DocumentIDPhoto *holder   `json:"document_id_photo"`
	CreatedAt       time.Time `json:"created_at"`
	LastUpdated     time.Time `json:"last_updated"`
	Tasks           []task    `json:"tasks"`
}

type supplementaryDocument struct {
	ID             UUID      `json:"id"`
	Source         source    `json:"source"`
	DocumentType   *string   `json:"document_type"`
	IssuingCountry *string   `json:"issuing_country"`
	Pages          []page    `json:"pages"`
	File           *holder   `json:"file"`
	DocumentFields *holder   `json:"document_fields"`
	CreatedAt      time.Time `json:"created_at"`
	LastUpdated    time.Time `json:"last_updated"`
	Tasks          []task    `json:"tasks"`
}

type livenessCapture struct {
	ID           UUID      `json:"id"`
	Source       source    `json:"source"`
	LivenessType string    `json:"liveness_type" words:"STATIC ZOOM"`
	Frames       []holder  `json:"frames"`
	Facemap      *holder   `json:"facemap"`
	Image        *holder   `json:"image"`
	CreatedAt    time.Time `json:"created_at"`
	LastUpdated  time.Time `json:"last_updated"`
	Tasks        []task    `json:"tasks"`
}

type faceCapture struct {
	ID          UUID      `json:"id"`
	Source      source    `json:"source"`
	Image       *holder   `json:"image"`
	CreatedAt   time.Time `json:"created_at"`
	LastUpdated time.Time `json:"last_updated"`
	Tasks       []task    `json:"tasks"`
}

type resources struct {
	IDDocuments            []idDocument            `json:"id_documents"`
	SupplementaryDocuments []supplementaryDocument `json:"supplementary_documents"`
	LivenessCapture        []livenessCapture       `json:"liveness_capture"`
	FaceCapture            []faceCapture           `json:"face_capture"`
}

type detail struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type subCheck struct {
	SubCheck string   `json:"sub_check"`
	Result   string   `json:"result" words:"PASS FAIL"`
	Details  []detail `json:"details"`
	Process  string   `json:"process" words:"AUTOMATED EXPERT_REVIEW"`
}

type recommendation struct {
	Value              string  `json:"value" words:"APPROVE REJECT NOT_AVAILABLE CONSIDER"`
	Reason             *string `json:"reason"`
	RecoverySuggestion *string `json:"recovery_suggestion"`
}

type report struct {
	Recommendation recommendation `json:"recommendation"`
	Breakdown      []subCheck     `json:"breakdown"`
}

type check struct {
	ID             UUID      `json:"id"`
	Type           string    `json:"type"`
	State          string    `json:"state" words:"CREATED READY PENDING DONE INTERNAL_ERROR"`
	ResourcesUsed  []UUID    `json:"resources_used"`
	GeneratedMedia []media   `json:"generated_media"`
	Report         *report   `json:"report"`
	Created        time.Time `json:"created"`
	LastUpdated    time.Time `json:"last_updated"`
}

type requirementNotMet struct {
	FailureType            string `json:"failure_type"`
	DocumentType           string `json:"document_type"`
	DocumentCountryIsoCode string `json:"document_country_iso_code"`
	AuditID                string `json:"audit_id"`
	Details                string `json:"details"`
}

type failureReason struct {
	ReasonCode                string              `json:"reason_code"`
	RequirementsNotMetDetails []requirementNotMet `json:"requirements_not_met_details"`
}

type scheme struct {
	Type      string  `json:"type"`
	Objective *string `json:"objective"`
}

type compliance struct {
	Scheme          scheme `json:"scheme"`
	RequirementsMet bool   `json:"requirements_met"`
}

type identityProfileReport struct {
	TrustFramework    string       `json:"trust_framework"`
	SchemesCompliance []compliance `json:"schemes_compliance"`
	Media             media        `json:"media"`
}

type identityProfile struct {
	SubjectID     *string                `json:"subject_id"`
	Result        string                 `json:"result" words:"DONE ABORTED"`
	FailureReason *failureReason         `json:"failure_reason"`
	Report        *identityProfileReport `json:"identity_profile_report"`
}

type session struct {
	ID               UUID             `json:"session_id"`
	SameID           UUID             `json:"sessionId"`
	TokenTTL         int              `json:"client_session_token_ttl"`
	Token            *UUID            `json:"client_session_token"`
	UserTrackingID   *string          `json:"user_tracking_id"`
	BiometricConsent *time.Time       `json:"biometric_consent"`
	State            string           `json:"state" words:"ONGOING COMPLETED EXPIRED"`
	CreatedAt        time.Time        `json:"created_at"`
	Resources        resources        `json:"resources"`
	Checks           []check          `json:"checks"`
	IdentityProfile  *identityProfile `json:"identity_profile"`
}

type createdSession struct {
	ID       UUID      `json:"session_id"`
	SameID   UUID      `json:"sessionId"`
	Token    UUID      `json:"client_session_token"`
	TokenTTL int       `json:"client_session_token_ttl"`
	Deadline time.Time `json:"session_deadline"`
	URL      string    `json:"url"`
}

type storedFrame struct {
	Media             media               `json:"media"`
	Recommendation    *taskRecommendation `json:"recommendation"`
	AttemptsRemaining *map[string]int     `json:"attempts_remaining"`
}

type requestedTask struct {
	Type           string              `json:"type"`
	State          string              `json:"state" words:"REQUIRED IN_PROGRESS FULFILLED"`
	ID             *UUID               `json:"id"`
	Recommendation *taskRecommendation `json:"recommendation"`
}

type acceptedDocument struct {
	Type            string `json:"type"`
	IsStrictlyLatin bool   `json:"is_strictly_latin"`
}

type acceptedCountry struct {
	Code               string             `json:"code"`
	SupportedDocuments []acceptedDocument `json:"supported_documents"`
}

type objective struct {
	Type string `json:"type"`
}

type requiredResource struct {
	ID                    UUID               `json:"id"`
	Type                  string             `json:"type" words:"ID_DOCUMENT SUPPLEMENTARY_DOCUMENT LIVENESS FACE_CAPTURE"`
	State                 string             `json:"state" words:"REQUIRED IN_PROGRESS FULFILLED"`
	AllowedSources        []source           `json:"allowed_sources"`
	AttemptsRemaining     map[string]int     `json:"attempts_remaining"`
	Recommendation        *taskRecommendation `json:"recommendation"`
	ResourceID            *UUID              `json:"resource_id"`
	RequestedTasks        *[]requestedTask   `json:"requested_tasks"`
	SupportedCountries    *[]acceptedCountry `json:"supported_countries"`
	AllowedCaptureMethods *string            `json:"allowed_capture_methods"`
	DocumentTypes         *[]string          `json:"document_types"`
	CountryCodes          *[]string          `json:"country_codes"`
	Objective             *objective         `json:"objective"`
	LivenessType          *string            `json:"liveness_type"`
}

type capture struct {
	BiometricConsent  string             `json:"biometric_consent" words:"REQUIRED GIVEN NOT_ALLOWED"`
	RequiredResources []requiredResource `json:"required_resources"`
}

type sdkConfig struct {
	AllowHandoff          bool                       `json:"allow_handoff"`
	AllowedCaptureMethods *string                    `json:"allowed_capture_methods"`
	PrimaryColour         *string                    `json:"primary_colour"`
	PrimaryColourDarkMode *string                    `json:"primary_colour_dark_mode"`
	SecondaryColour       *string                    `json:"secondary_colour"`
	FontColour            *string                    `json:"font_colour"`
	Locale                *string                    `json:"locale"`
	PresetIssuingCountry  *string                    `json:"preset_issuing_country"`
	SuccessURL            *string                    `json:"success_url"`
	ErrorURL              *string                    `json:"error_url"`
	PrivacyPolicyURL      *string                    `json:"privacy_policy_url"`
	BiometricConsentFlow  *string                    `json:"biometric_consent_flow" words:"EARLY JUST_IN_TIME"`
	DarkMode              *string                    `json:"dark_mode" words:"ON OFF AUTO"`
	AttemptsConfiguration *map[string]map[string]int `json:"attempts_configuration"`
	SuppressedScreens     *[]string                  `json:"suppressed_screens"`
}

type configuration struct {
	SessionID       UUID      `json:"session_id"`
	TokenTTL        int       `json:"client_session_token_ttl"`
	RequestedChecks []string  `json:"requested_checks"`
	Emails          []string  `json:"emails"`
	Capture         capture   `json:"capture"`
	SdkConfig       sdkConfig `json:"sdk_config"`
}

type supportedDocument struct {
	Type            string `json:"type"`
	IsStrictlyLatin bool   `json:"is_strictly_latin"`
	Requirements    struct {
		DateFrom Day `json:"date_from"`
	} `json:"requirements"`
}

type supportedDocuments struct {
	SupportedCountries []struct {
		Code               string              `json:"code"`
		SupportedDocuments []supportedDocument `json:"supported_documents"`
	} `json:"supported_countries"`
}

type createdResource struct {
	ID UUID `json:"id"`
}

type createdFaceCapture struct {
	ID     UUID `json:"id"`
	Frames int  `json:"frames"`
}

type trackedDevice struct {
	Event      string            `json:"event"`
	Created    time.Time         `json:"created"`
	ResourceID *UUID             `json:"resource_id"`
	Device     map[string]string `json:"device"`
}

type responseConfig struct {
	CheckReports     *Anything `json:"check_reports"`
	TaskResults      *Anything `json:"task_results"`
	AsyncReportDelay *int      `json:"async_report_delay"`
}

type documentFields struct {
	FullName                string             `json:"full_name"`
	DateOfBirth             *Day               `json:"date_of_birth"`
	StructuredPostalAddress *map[string]string `json:"structured_postal_address"`
}

type agentReport struct {
	Outcome string  `json:"outcome" words:"FINISHED LEFT STUCK"`
	Session session `json:"session"`
}

type review struct {
	AppID     UUID       `json:"app_id"`
	CheckID   UUID       `json:"check_id"`
	SessionID UUID       `json:"session_id"`
	CreatedAt time.Time  `json:"created_at"`
	Kind      string     `json:"kind"`
	Proposed  string     `json:"proposed" words:"APPROVE REJECT NOT_AVAILABLE CONSIDER"`
	DecidedAt *time.Time `json:"decided_at"`
	Decision  *string    `json:"decision" words:"APPROVE REJECT NOT_AVAILABLE CONSIDER"`
	Reason    *string    `json:"reason"`
	Reviewer  *string    `json:"reviewer"`
}

type reviewList struct {
	Reviews []review `json:"reviews"`
}

type reviewWithReport struct {
	Review review  `json:"review"`
	Report *report `json:"report"`
}

type fraudListEntry struct {
	ID        UUID       `json:"id"`
	Type      string     `json:"type" words:"DOCUMENT FACE"`
	Reason    string     `json:"reason"`
	Author    string     `json:"author"`
	CreatedAt time.Time  `json:"created_at"`
	ExpiresAt *time.Time `json:"expires_at"`
}

type fraudList struct {
	Entries    []fraudListEntry `json:"entries"`
	TotalCount int              `json:"total_count"`
}

type refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Errors  *[]struct {
		Property string `json:"property"`
		Message  string `json:"message"`
	} `json:"errors"`
}

var operations = map[string]interface{}{
	"create a session":             &createdSession{},
	"read a session":               &session{},
	"read a configuration":         &configuration{},
	"list supported documents":     &supportedDocuments{},
	"add an identity document":     &idDocument{},
	"add a supplementary document": &supplementaryDocument{},
	"add a liveness capture":       &createdResource{},
	"add a face capture":           &createdFaceCapture{},
	"put a media":                  &stored{},
	"put a frame":                  &storedFrame{},
	"extract text":                 &task{},
	"begin an upload":              &createdResource{},
	"list devices":                 &[]trackedDevice{},
	"read responses":               &responseConfig{},
	"read document fields":         &documentFields{},
	"run the agent":                &agentReport{},
	"list reviews":                 &reviewList{},
	"read a review":                &reviewWithReport{},
	"add to the fraud list":        &fraudListEntry{},
	"list the fraud list":          &fraudList{},
	"refuse":                       &refusal{},
}

func run() error {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var answers []struct {
		Operation string          `json:"operation"`
		Stage     string          `json:"stage"`
		Body      json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(text, &answers); err != nil {
		return err
	}
	for _, answer := range answers {
		path := answer.Operation + ", " + answer.Stage
		into, known := operations[answer.Operation]
		if !known {
			return fmt.Errorf("%s: this operation is not known", path)
		}
		fresh := reflect.New(reflect.TypeOf(into).Elem())
		if err := decode(answer.Body, fresh.Elem(), path); err != nil {
			return err
		}
	}
	fmt.Println(len(answers))
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
